import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { parseTemplate, type Assembly } from 'cloud-assembly-runner/cloudformation/template';
import { everyOption } from '../../bin/deployer-policy/every-option';
import { root, synthesiseApp } from '../../bin/start/synthesis';

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

/** Context values by name. */
type Choices = Readonly<Record<string, string>>;

/** The stack of `cdk synth` without choices. */
export const defaultStack = async () => (await stacks('.', {}))[0];

/** The stacks of the app with all choices: the service, then CloudFront's stack in us-east-1. */
export const fullStacks = () => stacks('everything', everyOption);

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

/** The published OpenAPI document, from the root of the repository. */
export const openApiFile = 'docs/api/openapi.json';

/**
 * The published AsyncAPI documents, from the root of the repository.
 * @throws Error when there are none, since nothing would be checked
 */
export function asyncApiFiles(): string[] {
  const files = readdirSync(join(root, 'docs/api')).filter((name) => /asyncapi\.json$/.test(name));
  if (files.length === 0) throw new Error('docs/api has no AsyncAPI document');
  return files.map((name) => `docs/api/${name}`);
}
