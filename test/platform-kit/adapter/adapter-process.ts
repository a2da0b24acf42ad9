import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonWith } from '../../outsiders/install';

const root = join(__dirname, '../../..');
export const adapterFolder = join(root, 'packages/platform-kit/sample-adapter');

/** The interpreter with the packages of the sample adapter. @throws NotInstalled */
export const adapterPython = () => pythonWith('platform-adapter', join(adapterFolder, 'requirements.txt'));

/** Variables with which a platform finds the bus of a stack on this machine, as docs/platform.md sets them. */
export async function busVariables(stackFolder: string) {
  const { endpointUrl, region, stackName, accessKeyId, secretAccessKey } = JSON.parse(
    readFileSync(join(stackFolder, 'aws.json'), 'utf8'),
  ) as Record<string, string>;
  const credentials = { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '' };
  const client = new CloudFormationClient({ endpoint: endpointUrl ?? '', region: region ?? '', credentials });
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
  const bus = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'PlatformBusArn')?.OutputValue;
  return {
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    PLATFORM_BUS_ARN: bus,
  };
}

/** The sample adapter as a process that can be killed and started again. */
export class AdapterProcess {
  private child: ChildProcess | undefined;
  /** Everything that it has printed, of all its runs. */
  printed = '';

  constructor(
    private readonly python: string,
    private readonly words: readonly string[],
    private readonly variables: NodeJS.ProcessEnv,
  ) {}

  start(): void {
    const env = { ...process.env, ...this.variables, PYTHONDONTWRITEBYTECODE: '1' };
    this.child = spawn(this.python, [join(adapterFolder, 'adapter.py'), ...this.words], { env });
    for (const output of [this.child.stdout, this.child.stderr])
      output?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
  }

  /** Kills it, as a power cut would. */
  async kill(): Promise<void> {
    if (!this.child || this.child.exitCode !== null) return;
    const ended = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await ended;
  }
}
