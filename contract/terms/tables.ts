export { tableNames, tableOutput, tableVariable, type TableName } from '../../domain/values/table';
