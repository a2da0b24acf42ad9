import type { Node } from 'constructs';

/** A domain name of ours and the certificate for it, in the region of the stack unless told otherwise. */
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
  /**
   * `webSocketDomainName` and `webSocketCertificateArn`: where partners reach the channels over WSS. CloudFront wants
   * the certificate in us-east-1, wherever the stack is. Default: the address that CloudFront gives.
   */
  readonly webSocketDomain: CustomDomain | undefined;
  /**
   * `mqttDomainName` and `mqttCertificateArn`: where partners reach the channels over MQTTS. The certificate must be
   * one of a public authority. Default: the address that AWS IoT gives to the domain configuration.
   */
  readonly mqttDomain: CustomDomain | undefined;
  /** `shareBaseUrl`: address of the public share viewer. Default: that of the API. */
  readonly shareBaseUrl: string | undefined;
  /** `alarmTopicArn`: the SNS topic that hears of alarms. Default: alarms show in CloudWatch only. */
  readonly alarmTopicArn: string | undefined;
  /**
   * `simulatedFleet`: every device is simulated. For a sandbox. Default: the drone platform is another's.
   * `simulatedFleetSpeed`: they fly so many times faster than real ones (1 to 100, default 1).
   * `simulatedFleetRest`: at rest they report every so many seconds (1 to 20, default 10), in flight every second.
   */
  readonly simulatedFleet: { readonly speed: number; readonly rest: number } | undefined;
}

/** @throws when a context value is not what it should be: better at synth than halfway through a deployment */
export function deploymentChoices(node: Node): DeploymentChoices {
  const text = (key: string): string | undefined => {
    const value: unknown = node.tryGetContext(key);
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw new Error(`Context ${key} must be a string.`);
    return value;
  };
  const customDomain = (nameKey: string, certificateKey: string): CustomDomain | undefined => {
    const name = text(nameKey);
    const certificateArn = text(certificateKey);
    if (name !== undefined && certificateArn !== undefined) return { name, certificateArn };
    if (name === certificateArn) return undefined;
    throw new Error(`Context ${nameKey} and ${certificateKey} go together: give both or neither.`);
  };
  const yes = (key: string): boolean => {
    const value = String(node.tryGetContext(key) ?? false);
    if (!['true', 'false'].includes(value)) throw new Error(`Context ${key} must be true or false.`);
    return value === 'true';
  };
  const number = (key: string, otherwise: number, most: number): number => {
    const value = Number(node.tryGetContext(key) ?? otherwise);
    if (!(value >= 1 && value <= most)) throw new Error(`Context ${key} must be a number from 1 to ${most}.`);
    return value;
  };
  const speed = number('simulatedFleetSpeed', 1, 100);
  const rest = number('simulatedFleetRest', 10, 20);

  return {
    removeData: yes('removeData'),
    domain: customDomain('domainName', 'certificateArn'),
    webSocketDomain: customDomain('webSocketDomainName', 'webSocketCertificateArn'),
    mqttDomain: customDomain('mqttDomainName', 'mqttCertificateArn'),
    shareBaseUrl: text('shareBaseUrl')?.replace(/\/+$/, ''),
    alarmTopicArn: text('alarmTopicArn'),
    simulatedFleet: yes('simulatedFleet') ? { speed, rest } : undefined,
  };
}
