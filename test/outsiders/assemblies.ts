import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { synthesise } from '../../local/synthesis';
import { readAssembly, type Assembly } from '../../local/template';

const manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({ properties: z.object({ templateFile: z.string().optional() }).optional() }),
  ),
});

/** A synthesised app, and its template as AWS gets it. */
export interface SynthesisedApp extends Assembly {
  readonly templateFile: string;
}

export const root = join(__dirname, '../..');

const certificate = (region: string) =>
  `arn:aws:acm:${region}:123456789012:certificate/11111111-2222-3333-4444-555555555555`;

/** Every context value that adds or changes resources, so that between this and the default nothing goes unseen. */
const everything = {
  removeData: 'true',
  simulatedFleet: 'true',
  alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
  shareBaseUrl: 'https://share.example.com',
  domainName: 'api.example.com',
  certificateArn: certificate('eu-central-1'),
  webSocketDomainName: 'ws.example.com',
  webSocketCertificateArn: certificate('us-east-1'),
  mqttDomainName: 'mqtt.example.com',
  mqttCertificateArn: certificate('eu-central-1'),
};

/** The app as `cdk synth` makes it without any choice. */
export const defaultAssembly = () => assembly('.', {});

/** The app with every choice that there is. */
export const fullAssembly = () => assembly('everything', everything);

async function assembly(name: string, choices: Readonly<Record<string, string>>): Promise<SynthesisedApp> {
  const folder = join(root, 'cdk.out', name);
  await synthesise(root, folder, choices, AbortSignal.timeout(120_000));
  const { artifacts } = manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  const [template = ''] = Object.values(artifacts).flatMap(({ properties }) => properties?.templateFile ?? []);
  return { ...readAssembly(folder), templateFile: join(folder, template) };
}
