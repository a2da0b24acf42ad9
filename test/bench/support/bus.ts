import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { AwsAccess } from 'cloud-assembly-runner';

/** Finds the bus of a running stack. @returns its ARN, and options for SDK clients of the stack */
export async function findBus({ endpointUrl, region, stackName, ...credentials }: AwsAccess) {
  const options = { endpoint: endpointUrl, region, credentials };
  const { Stacks } = await new CloudFormationClient(options).send(new DescribeStacksCommand({ StackName: stackName }));
  const bus = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  if (bus === undefined) throw new Error('the stack has no bus');
  return { bus, options };
}
