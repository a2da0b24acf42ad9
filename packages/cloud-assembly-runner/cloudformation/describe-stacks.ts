import { failure, xml } from '../aws-endpoint/aws-error';
import type { Outputs } from './deploy';
import type { AwsAnswer, AwsApi } from '../service';
import { accountId, region } from './template';

/**
 * CloudFormation's DescribeStacks with the outputs of the local stack, so that the command line finds its endpoints as
 * it does in an account.
 */
export function createCloudFormationApi(stackName: string, outputs: () => Outputs): AwsApi {
  const stackId = `arn:aws:cloudformation:${region}:${accountId}:stack/${stackName}/local`;
  return {
    signingName: 'cloudformation',
    permissions: ({ body }) => {
      const operation = new URLSearchParams(body.toString()).get('Action') ?? '';
      return [{ action: `cloudformation:${operation}`, resource: stackId }];
    },
    answer: ({ body }) => {
      const form = new URLSearchParams(body.toString());
      const action = form.get('Action') ?? '';
      if (action !== 'DescribeStacks') {
        return Promise.resolve(failure('query', 400, 'InvalidAction', `${action} is not supported on this machine`));
      }
      const wanted = form.get('StackName') ?? stackName;
      if (wanted !== stackName && wanted !== stackId) {
        return Promise.resolve(failure('query', 400, 'ValidationError', `Stack with id ${wanted} does not exist`));
      }
      return Promise.resolve(describeStacks(stackName, stackId, outputs()));
    },
  };
}

/** Response in the AWS query protocol (CloudFormation API reference, DescribeStacks). */
function describeStacks(stackName: string, stackId: string, outputs: Outputs): AwsAnswer {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${xml(key)}</OutputKey><OutputValue>${xml(value)}</OutputValue></member>`,
  );
  return {
    status: 200,
    headers: { 'content-type': 'text/xml' },
    body: `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>${xml(stackName)}</StackName><StackId>${xml(stackId)}</StackId><StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2020-01-01T00:00:00Z</CreationTime><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  };
}
