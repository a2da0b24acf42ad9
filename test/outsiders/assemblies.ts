import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { root, synthesiseApp } from '../../bin/start/synthesis';
import { parseTemplate, type Assembly } from 'cloud-assembly-runner/cloudformation/template';

const manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.object({ templateFile: z.string().optional(), stackName: z.string().optional() }).default({}),
    }),
  ),
});

/** A stack of a synthesised app, with its template as deployed. */
export interface SynthesisedStack extends Assembly {
  readonly templateFile: string;
}

export { root };

const certificate = (region: string) =>
  `arn:aws:acm:${region}:123456789012:certificate/11111111-2222-3333-4444-555555555555`;

/** Context values by name. */
type Choices = Readonly<Record<string, string>>;

/** Every context value that adds or changes resources, so that this and the default cover the whole app. */
export const everything = {
  stage: 'staging',
  removeData: 'true',
  simulatedFleet: 'true',
  alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
  tracing: 'true',
  shareBaseUrl: 'https://share.example.com',
  domainName: 'api.example.com',
  certificateArn: certificate('eu-central-1'),
  webSocketDomainName: 'ws.example.com',
  webSocketCertificateArn: certificate('us-east-1'),
  mqttDomainName: 'mqtt.example.com',
  mqttCertificateArn: certificate('eu-central-1'),
  webRateLimit: '100000',
  edgeRateLimit: '2000',
  cloudFrontWebAclArn:
    'arn:aws:wafv2:us-east-1:123456789012:global/webacl/RateLimit/11111111-2222-3333-4444-555555555555',
  tags: 'costCenter=42,owner=flight',
  permissionsBoundaryArn: 'arn:aws:iam::123456789012:policy/boundary',
};

/** The stack of `cdk synth` without choices. */
export const defaultStack = async () => (await stacks('.', {}))[0];

/** The stacks of the app with all choices: the service, then CloudFront's stack in us-east-1. */
export const fullStacks = () => stacks('everything', everything);

/** The service with all choices. */
export const fullStack = async () => (await fullStacks())[0];

async function stacks(name: string, choices: Choices): Promise<[SynthesisedStack, ...SynthesisedStack[]]> {
  const folder = await synthesiseApp(name, choices, AbortSignal.timeout(120_000));
  const { artifacts } = manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  const found = Object.entries(artifacts)
    .filter(([, { type }]) => type === 'aws:cloudformation:stack')
    .map(([id, { properties }]) => {
      const templateFile = join(folder, properties.templateFile ?? `${id}.template.json`);
      const template = parseTemplate(JSON.parse(readFileSync(templateFile, 'utf8')));
      return { folder, templateFile, stackName: properties.stackName ?? id, template };
    })
    // The service has the most resources; the manifest's order is arbitrary.
    .sort((one, other) => sizeOf(other) - sizeOf(one));
  const [service, ...others] = found;
  if (!service) throw new Error(`${folder} holds no stack`);
  return [service, ...others];
}

const sizeOf = ({ template }: SynthesisedStack) => Object.keys(template.Resources).length;
