export { tableNames, tableOutput, tableVariable, type TableName } from '../domain/table';
