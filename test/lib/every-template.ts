import { everyOption } from '../../bin/deployer-policy/every-option';
import { contract } from '../../contract/contract';
import { addStacks } from '../../lib/stack/stacks';
import { newApp } from './new-app';
import type { CfnResource } from './synthesised';

/** A stack of the app: its name, and its template. */
export interface SynthesisedTemplate {
  readonly stackName: string;
  readonly resources: Readonly<Record<string, CfnResource>>;
  readonly outputs: Readonly<Record<string, { readonly Export?: { readonly Name: unknown } }>>;
}

/** Synthesises the stacks of the app with these options. */
export function templatesWith(options: Readonly<Record<string, string>>): SynthesisedTemplate[] {
  const app = newApp(options, false);
  addStacks(app, contract);
  return app.synth().stacks.map(({ stackName, template }) => {
    const { Resources, Outputs = {} } = template as {
      Resources: SynthesisedTemplate['resources'];
      Outputs?: SynthesisedTemplate['outputs'];
    };
    return { stackName, resources: Resources, outputs: Outputs };
  });
}

let every: SynthesisedTemplate[] | undefined;

/** The stacks without options and with every one, which together have every resource of the app; once per test file. */
export const everyTemplate = (): readonly SynthesisedTemplate[] =>
  (every ??= [templatesWith({}), templatesWith(everyOption)].flat());
