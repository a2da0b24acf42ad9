import type { Node } from 'constructs';

/** A domain name of ours and the certificate for it, in the region of the stack. */
export interface CustomDomain {
  readonly name: string;
  readonly certificateArn: string;
}

/** What can be chosen per deployment, as CDK context (`-c removeData=true` or in cdk.json). */
export interface DeploymentChoices {
  /** `removeData`: deleting the stack deletes what is stored. Default: everything is retained. */
  readonly removeData: boolean;
  /** `domainName` and `certificateArn`: where partners reach the API. Default: the address that API Gateway gives. */
  readonly domain: CustomDomain | undefined;
  /** `shareBaseUrl`: address of the public share viewer. Default: that of the API. */
  readonly shareBaseUrl: string | undefined;
  /** `alarmTopicArn`: the SNS topic that hears of alarms. Default: alarms show in CloudWatch only. */
  readonly alarmTopicArn: string | undefined;
}

/** @throws when a context value is not what it should be: better at synth than halfway through a deployment */
export function deploymentChoices(node: Node): DeploymentChoices {
  const text = (key: string): string | undefined => {
    const value: unknown = node.tryGetContext(key);
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw new Error(`Context ${key} must be a string.`);
    return value;
  };
  const removeData: unknown = node.tryGetContext('removeData') ?? false;
  if (!['true', 'false'].includes(String(removeData))) throw new Error('Context removeData must be true or false.');

  const name = text('domainName');
  const certificateArn = text('certificateArn');
  if ((name === undefined) !== (certificateArn === undefined)) {
    throw new Error('Context domainName and certificateArn go together: give both or neither.');
  }
  return {
    removeData: String(removeData) === 'true',
    domain: name !== undefined && certificateArn !== undefined ? { name, certificateArn } : undefined,
    shareBaseUrl: text('shareBaseUrl')?.replace(/\/+$/, ''),
    alarmTopicArn: text('alarmTopicArn'),
  };
}
