export { tableNames, tableVariable, type TableName } from '../domain/table';
