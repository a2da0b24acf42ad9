import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../lib/functions/bundle';
import { serviceApp, serviceStack } from './service-app';

const entry = 'fan-out-without-log';

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Metadata?: Record<string, string> }>>;
}

/**
 * Synthesises the service twice: as it is, and with a fan-out that writes no event log.
 * @param folder of both cloud assemblies
 * @returns their folders
 */
export function synthesiseWithoutLog(folder: string): { readonly withLog: string; readonly withoutLog: string } {
  const [withLog, withoutLog] = [join(folder, 'with-log'), join(folder, 'without-log')];
  const app = serviceApp(withLog);
  const stack = serviceStack(app);
  app.synth();
  cpSync(withLog, withoutLog, { recursive: true });
  const template = JSON.parse(readFileSync(join(withLog, stack.templateFile), 'utf8')) as Template;
  const fanOut = Object.values(template.Resources).find(
    ({ Type, Metadata }) => Type === 'AWS::Lambda::Function' && Metadata?.['aws:cdk:path']?.includes('/StatusFanOut/'),
  );
  const asset = fanOut?.Metadata?.['aws:asset:path'];
  if (asset === undefined) throw new Error('the stack has no fan-out of status');
  bundle([entry], folder, 'bench/support');
  copyFileSync(join(folder, entry, 'index.js'), join(withoutLog, asset, 'index.js'));
  return { withLog, withoutLog };
}
