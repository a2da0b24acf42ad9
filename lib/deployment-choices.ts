import type { Node } from 'constructs';
import * as z from 'zod';
import { didYouMean } from './nearest-name';
import { resourceTags } from './resource-tags';

/** A domain name of ours and the certificate for it, in the region of the stack unless told otherwise. */
export interface CustomDomain {
  readonly name: string;
  readonly certificateArn: string;
}

/** A choice that can't be made as it was. The message names it and fits on a line. */
export class ChoiceError extends Error {
  override readonly name = 'ChoiceError';
}

const text = z.string({ error: 'must be a string' });
const yesOrNo = z
  .union([z.boolean(), z.enum(['true', 'false'])], { error: 'must be true or false' })
  .transform((value) => String(value) === 'true');
const numberTo = (most: number) => {
  const error = `must be a number from 1 to ${most}`;
  return z.coerce.number({ error }).min(1, { error }).max(most, { error });
};

/** Becomes part of names, of which a Cognito domain has the narrowest rules: at most 63 characters, none of these words. */
const stage = text
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, {
    error: 'must be lower-case letters and digits, with single hyphens inside',
  })
  .max(20, { error: 'must have at most 20 characters' })
  .refine((value) => !/aws|amazon|cognito/.test(value), { error: 'must not have aws, amazon or cognito in it' })
  .refine((value) => !/(^|-)edge$/.test(value), { error: 'must not end in edge, as the stacks in us-east-1 do' });

/** Requests of an address in five minutes: the least and the most that AWS WAF takes (WAF API reference, RateBasedStatement). */
const requests = (() => {
  const error = 'must be a whole number from 10 to 2000000000';
  return z.coerce.number({ error }).int({ error }).min(10, { error }).max(2_000_000_000, { error });
})();

/** What can be chosen per deployment, as CDK context: `-c stage=staging`, or in cdk.json. */
const choices = z.object({
  /** Which of several deployments in one account this is; part of the stack's name and of names that are unique beyond it. */
  stage: stage.optional(),
  /** Deleting the stack deletes what is stored. Default: everything is retained. */
  removeData: yesOrNo.default(false),
  /** Where partners reach the API, beside the address that API Gateway gives. */
  domainName: text.optional(),
  certificateArn: text.optional(),
  /** Where partners reach the channels over WSS, beside the address that CloudFront gives. Certificate in us-east-1. */
  webSocketDomainName: text.optional(),
  webSocketCertificateArn: text
    .refine((arn) => arn.split(':')[3] === 'us-east-1', {
      error: 'must be a certificate in us-east-1, where CloudFront looks for it',
    })
    .optional(),
  /** Where partners reach the channels over MQTTS, beside the address that AWS IoT gives. Certificate of a public authority. */
  mqttDomainName: text.optional(),
  mqttCertificateArn: text.optional(),
  /** Address of the public share viewer. Default: that of the WebSocket channels. */
  shareBaseUrl: text.transform((url) => url.replace(/\/+$/, '')).optional(),
  /** The SNS topic that hears of alarms. Default: alarms show in CloudWatch only. */
  alarmTopicArn: text.optional(),
  /** Map of the share page, read by {@link mapTiles}. */
  mapTileUrl: z.unknown().optional(),
  mapAttribution: z.unknown().optional(),
  /** How many requests an address may send to the REST API in five minutes. Default: no limit. */
  webRateLimit: requests.optional(),
  /** The same to channels and share page; makes a second stack, in us-east-1, whose output is the ARN for the next. */
  edgeRateLimit: requests.optional(),
  cloudFrontWebAclArn: text
    .regex(/^arn:aws[\w-]*:wafv2:us-east-1:\d{12}:global\/webacl\/[^/]+\/[\w-]+$/, {
      error: 'must be the ARN of a web ACL of scope CLOUDFRONT, in us-east-1',
    })
    .optional(),
  /** Tags of every resource, beside `service` and `stage`: `costCenter=42,owner=flight`. */
  tags: resourceTags.default({}),
  /** Policy that bounds what every role may do. Default: none. */
  permissionsBoundaryArn: text
    .regex(/^arn:aws[\w-]*:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/, { error: 'must be the ARN of an IAM policy' })
    .optional(),
  /** Every device is simulated: for a sandbox. Default: the drone platform is another's. */
  simulatedFleet: yesOrNo.default(false),
  /** How many times faster than real ones they fly, and every how many seconds they report at rest. */
  simulatedFleetSpeed: numberTo(100).default(1),
  simulatedFleetRest: numberTo(20).default(10),
});

/** Context that is not ours: feature flags and look-ups have such names, the rest the CDK's command line writes. */
const isForCdk = (key: string) => /[@:]/.test(key) || ['cli-telemetry', 'acknowledged-issue-numbers'].includes(key);

/**
 * Reads what was chosen for this deployment.
 * @throws ChoiceError for a name that is no choice or a value that is none: better at synth than halfway through a deployment
 */
export function deploymentChoices(node: Node) {
  const { domainName, certificateArn, webSocketDomainName, webSocketCertificateArn, ...chosen } = read(node);
  const { mqttDomainName, mqttCertificateArn, simulatedFleet, simulatedFleetSpeed, simulatedFleetRest, ...rest } =
    chosen;
  const domains = {
    domain: customDomain({ domainName, certificateArn }),
    webSocketDomain: customDomain({ webSocketDomainName, webSocketCertificateArn }),
    mqttDomain: customDomain({ mqttDomainName, mqttCertificateArn }),
  };
  const fleet = { speed: simulatedFleetSpeed, rest: simulatedFleetRest };
  return { ...rest, ...domains, simulatedFleet: simulatedFleet ? fleet : undefined };
}

function read(node: Node): z.output<typeof choices> {
  const context = node.getAllContext() as Record<string, unknown>;
  // An empty value is as good as none: so a script can pass on a variable that may not be set.
  const given = Object.entries(context).filter(([key, value]) => !isForCdk(key) && value !== '');
  const known = Object.keys(choices.shape);
  const [unknown] = given.find(([key]) => !known.includes(key)) ?? [];
  if (unknown !== undefined)
    throw new ChoiceError(`Context ${unknown} is no choice of this app${didYouMean(unknown, known)}`);
  const parsed = choices.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const [fault] = parsed.error.issues;
  throw new ChoiceError(`Context ${String(fault?.path[0])} ${fault?.message ?? 'is wrong'}.`);
}

/** A name and its certificate go together. */
function customDomain(pair: Readonly<Record<string, string | undefined>>): CustomDomain | undefined {
  const [name, certificateArn] = Object.values(pair);
  if (name !== undefined && certificateArn !== undefined) return { name, certificateArn };
  if (name === certificateArn) return undefined;
  throw new ChoiceError(`Context ${Object.keys(pair).join(' and ')} go together: give both or neither.`);
}
