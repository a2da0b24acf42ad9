import type { Node } from 'constructs';
import * as z from 'zod';
import { didYouMean } from '../../contract/terms/did-you-mean';

/**
 * Characters that every AWS service accepts in a tag (Tagging AWS resources user guide, "Tag naming limits and
 * requirements").
 */
const allowed = /^[\p{L}\p{N} _.:/=+@-]*$/u;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;
/** AWS allows 50 per resource; this app sets two itself. */
const MAX_TAGS = 48;
/** Keys that this app sets. */
const reserved = ['service', 'stage'];

type Tags = Readonly<Record<string, string>>;

/** Parses `costCenter=42,owner=flight`; a value may contain `=`. */
const pairs = (list: string): Tags =>
  Object.fromEntries(
    list.split(',').map((pair) => {
      const [key = '', ...value] = pair.split('=');
      return [key.trim(), value.join('=').trim()];
    }),
  );

/** Returns the first error in these tags, worded to follow the name of the option, or undefined. */
function errorIn(tags: Tags): string | undefined {
  const keys = Object.keys(tags);
  if (keys.length > MAX_TAGS) return `must be at most ${MAX_TAGS} tags`;
  for (const [key, value] of Object.entries(tags)) {
    if (key === '' || value === '') return 'must be tags such as costCenter=42,owner=flight';
    if (/^aws:/i.test(key)) return 'must not have keys that begin with aws:';
    if (!allowed.test(key) || !allowed.test(value))
      return `must consist of letters, digits, spaces and _.:/=+-@: ${key} does not`;
    if (key.length > MAX_KEY_LENGTH) return `must have keys of at most ${MAX_KEY_LENGTH} characters`;
    if (value.length > MAX_VALUE_LENGTH)
      return `must have values of at most ${MAX_VALUE_LENGTH} characters: ${key} is longer`;
  }
  // IAM treats keys that differ only in case as the same.
  const lower = [...reserved, ...keys].map((key) => key.toLowerCase());
  const duplicate = lower.find((key, index) => lower.indexOf(key) !== index);
  return duplicate === undefined ? undefined : `must have each key once: ${duplicate} is repeated`;
}

/** Additional tags, as text or, in cdk.json, as an object. */
const resourceTags = z
  .union([z.string().transform(pairs), z.record(z.string(), z.string())], {
    error: 'must be tags such as costCenter=42,owner=flight',
  })
  .superRefine((tags, context) => {
    const message = errorIn(tags);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** A custom domain name and its certificate, in the region of the stack unless an option says otherwise. */
export interface CustomDomain {
  readonly name: string;
  readonly certificateArn: string;
}

/** An unknown option or an invalid value. The message is one line and names the option. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

const text = z.string({ error: 'must be a string' });
const yesOrNo = z
  .union([z.boolean(), z.enum(['true', 'false'])], { error: 'must be true or false' })
  .transform((value) => String(value) === 'true');
const numberTo = (most: number) => {
  const error = `must be a number from 1 to ${most}`;
  return z.coerce.number({ error }).min(1, { error }).max(most, { error });
};

const daysTo = (most: number) => {
  const error = `must be a whole number of days from 1 to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(1, { error }).max(most, { error });
};

/** Part of resource names. A Cognito domain has the strictest rules: at most 63 characters and none of these words. */
const stage = text
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, {
    error: 'must be lower-case letters and digits, with single hyphens inside',
  })
  .max(20, { error: 'must have at most 20 characters' })
  .refine((value) => !/aws|amazon|cognito/.test(value), { error: 'must not contain aws, amazon or cognito' })
  .refine((value) => !/(^|-)edge$/.test(value), { error: 'must not end in edge, as the stacks in us-east-1 do' });

/** Requests per IP address in five minutes, within the limits of AWS WAF (WAF API reference, RateBasedStatement). */
const requests = (() => {
  const error = 'must be a whole number from 10 to 2000000000';
  return z.coerce.number({ error }).int({ error }).min(10, { error }).max(2_000_000_000, { error });
})();

/**
 * At most the concurrent executions that AWS grants on request, "tens of thousands" (Lambda developer guide, "Lambda
 * quotas").
 */
const callsAtOnce = (least: number, most = 10_000) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};

/** Options of a deployment, set as CDK context: `-c stage=staging`, or in cdk.json. */
const options = z.object({
  /** Distinguishes deployments in one account; part of the stack's name and of globally unique names. */
  stage: stage.optional(),
  /** Deleting the stack deletes the stored data. Default: it is retained. */
  removeData: yesOrNo.default(false),
  /** Custom domain of the API, in addition to the address that API Gateway assigns. */
  domainName: text.optional(),
  certificateArn: text.optional(),
  /** Custom domain of the WSS channels, in addition to the address that CloudFront assigns. Certificate in us-east-1. */
  webSocketDomainName: text.optional(),
  webSocketCertificateArn: text
    .refine((arn) => arn.split(':')[3] === 'us-east-1', {
      error: 'must be a certificate in us-east-1, as CloudFront requires',
    })
    .optional(),
  /** Custom domain of the MQTTS channels, in addition to the address that AWS IoT assigns. Certificate of a public CA. */
  mqttDomainName: text.optional(),
  mqttCertificateArn: text.optional(),
  /** Base URL of the public share page. Default: that of the WebSocket channels. */
  shareBaseUrl: text.transform((url) => url.replace(/\/+$/, '')).optional(),
  /** How long the event log keeps an event, for partners who resume. */
  eventRetentionDays: daysTo(365).default(7),
  /** How long the record of a job's flight is kept. */
  flightRetentionDays: daysTo(3650).default(90),
  /**
   * Calls that may wait for an event at the same time, each in a concurrent execution of Lambda, of which an account
   * has 1,000.
   */
  maxWaitingCalls: callsAtOnce(0).default(300),
  /**
   * Mission files of an organisation that may be read at the same time, each in a concurrent execution too. The seats
   * of 35 are below 1 kB.
   */
  maxFilesAtOnce: callsAtOnce(1, 35).default(10),
  /** SNS topics that alarms notify, of what wakes somebody and of what can wait. Default: alarms show in CloudWatch only. */
  pageTopicArn: text.optional(),
  ticketTopicArn: text.optional(),
  /** Records traces of REST calls in X-Ray, which cost more than the calls. */
  tracing: yesOrNo.default(false),
  /** Map of the share page; parsed by {@link mapTiles}. */
  mapTileUrl: z.unknown().optional(),
  mapAttribution: z.unknown().optional(),
  /** Requests per IP address to the REST API in five minutes. Default: no limit. */
  webRateLimit: requests.optional(),
  /** The same for channels and share page. Adds a second stack, in us-east-1, whose output is the ARN for the next option. */
  edgeRateLimit: requests.optional(),
  cloudFrontWebAclArn: text
    .regex(/^arn:aws[\w-]*:wafv2:us-east-1:\d{12}:global\/webacl\/[^/]+\/[\w-]+$/, {
      error: 'must be the ARN of a web ACL of scope CLOUDFRONT, in us-east-1',
    })
    .optional(),
  /** Tags of every resource, in addition to `service` and `stage`: `costCenter=42,owner=flight`. */
  tags: resourceTags.default({}),
  /** Permissions boundary of every role. Default: none. */
  permissionsBoundaryArn: text
    .regex(/^arn:aws[\w-]*:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/, { error: 'must be the ARN of an IAM policy' })
    .optional(),
  /** Account id or role that may assume the role of the drone platform. Default: the stack's account. */
  platformPrincipalArn: text
    .regex(/^(\d{12}|arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]+)$/, {
      error: 'must be an account id or the ARN of a role',
    })
    .optional(),
  /** Event bus or queue of another account that receives the events for the drone platform. */
  platformTargetArn: text
    .regex(/^arn:aws[\w-]*:(events:[\w-]+:\d{12}:event-bus\/[\w./-]+|sqs:[\w-]+:\d{12}:[\w-]{1,80})$/, {
      error: 'must be the ARN of an event bus or of a standard queue',
    })
    .optional(),
  /** Simulates every device, for a sandbox. Default: an external drone platform. */
  simulatedFleet: yesOrNo.default(false),
  /** Speed relative to real time, and the interval in seconds at which devices at rest report. */
  simulatedFleetSpeed: numberTo(100).default(1),
  simulatedFleetRest: numberTo(20).default(10),
});

/** Former options, with those that replace them. */
const replaced: Readonly<Record<string, string>> = { alarmTopicArn: 'pageTopicArn and ticketTopicArn' };

/** Context of the CDK itself: feature flags and look-ups have such names; the CDK CLI writes the others. */
const isForCdk = (key: string) => /[@:]/.test(key) || ['cli-telemetry', 'acknowledged-issue-numbers'].includes(key);

/**
 * Reads the options of this deployment.
 * @throws ChoiceError for an unknown option or an invalid value, so that synthesis fails and not the deployment
 */
export function deploymentOptions(node: Node) {
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

function read(node: Node): z.output<typeof options> {
  const context = node.getAllContext() as Record<string, unknown>;
  // An empty value counts as unset, so that a script can pass an unset variable.
  const given = Object.entries(context).filter(([key, value]) => !isForCdk(key) && value !== '');
  const known = Object.keys(options.shape);
  const [unknown] = given.find(([key]) => !known.includes(key)) ?? [];
  if (unknown !== undefined && Object.hasOwn(replaced, unknown))
    throw new OptionError(`Context ${unknown} is no longer an option of this app: set ${replaced[unknown]} instead.`);
  if (unknown !== undefined)
    throw new OptionError(`Context ${unknown} is not an option of this app${didYouMean(unknown, known)}`);
  const parsed = options.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const [fault] = parsed.error.issues;
  throw new OptionError(`Context ${String(fault?.path[0])} ${fault?.message ?? 'is wrong'}.`);
}

/** @throws ChoiceError when only one of the two is set */
function customDomain(pair: Readonly<Record<string, string | undefined>>): CustomDomain | undefined {
  const [name, certificateArn] = Object.values(pair);
  if (name !== undefined && certificateArn !== undefined) return { name, certificateArn };
  if (name === certificateArn) return undefined;
  throw new OptionError(`Context ${Object.keys(pair).join(' and ')} belong together: set both or neither.`);
}
