/** Options of every command of operators, for its help. */
export const commonOptions = `  --local                   the stack that \`npm start\` runs here
  --stack NAME              a CloudFormation stack in AWS
                            (default: $STACK_NAME, else DroneMissionApi)
  --json                    for scripts: the result as JSON
`;
