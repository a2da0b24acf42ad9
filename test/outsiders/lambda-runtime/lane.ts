import { defaultStack, fullStack } from '../assemblies';
import { differences } from '../differences';
import { installLambdaRuntime, type LambdaRuntime } from '../install/node';
import type { Lane } from '../lane';
import { startEmptyAccount, type EmptyAccount } from './empty-account';
import { functionsOf, type DeployedFunction } from './functions';
import { startInstance, type Instance } from './instance';
import { trials, type Trial } from './trials';

/** Functions that are tried at a time. */
const AT_ONCE = 3;

/** What loads a handler, calls it and tells Lambda of its errors in AWS is this very client, on this Node.js. */
export const lambdaRuntime: Lane = {
  title: "every function, loaded and called by AWS's runtime interface client on the Node.js of the template",
  run: async () => {
    const runtime = await installLambdaRuntime();
    const all = await everyFunction();
    const ours = all.filter(({ runtime: name }) => name === 'nodejs24.x');
    for (const { logicalId, runtime: name } of all.filter((one) => !ours.includes(one)))
      console.log(`  left out: ${logicalId}, which runs on ${name}: the client is that of Node.js`);
    const account = await startEmptyAccount();
    try {
      const objections = await tryAll(ours, runtime, account);
      const used = Object.keys(trials).filter((name) => ours.some(({ logicalId }) => logicalId.startsWith(name)));
      console.log(`  ${ours.length} functions on ${[...new Set(ours.map(({ runtime: name }) => name))].join(', ')}`);
      return [
        ...objections,
        ...Object.keys(trials)
          .filter((name) => !used.includes(name))
          .map((name) => `there is no function ${name} in the template`),
        ...account.unknown.map((call) => `a function called ${call}, which its event does not ask for`),
      ];
    } finally {
      account.close();
    }
  },
};

/** Some functions are there only when something is not chosen. */
async function everyFunction(): Promise<DeployedFunction[]> {
  const all = [...functionsOf(await defaultStack()), ...functionsOf(await fullStack())];
  return [...new Map(all.map((one) => [one.logicalId, one])).values()];
}

async function tryAll(
  all: readonly DeployedFunction[],
  runtime: LambdaRuntime,
  account: EmptyAccount,
): Promise<string[]> {
  const waiting = [...all];
  const objections: string[] = [];
  const work = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift())
      objections.push(...(await tryOne(one, runtime, account)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return objections;
}

async function tryOne(one: DeployedFunction, runtime: LambdaRuntime, { url }: EmptyAccount): Promise<string[]> {
  const { logicalId } = one;
  const own = Object.entries(trials).find(([name]) => logicalId.startsWith(name))?.[1];
  if (!own) return [`${logicalId} has no row in test/outsiders/lambda-runtime/trials.ts`];
  const instance = await startInstance(runtime, one, url);
  try {
    const objections: string[] = [];
    for (const trial of own) objections.push(...(await objectionsTo(trial, instance)));
    return [...objections, ...strayLines(one, instance)].map((text) => `${logicalId}: ${text}`);
  } catch (error) {
    return [`${logicalId}: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    instance.stop();
  }
}

async function objectionsTo({ event, outcome }: Trial, instance: Instance): Promise<string[]> {
  const found = differences(outcome, await instance.invoke(event), 'the outcome');
  return found.map((text) => `${text}, with ${JSON.stringify(event).slice(0, 300)}`);
}

/** What is logged as JSON must be that, line by line, or CloudWatch's filters don't see it. */
function strayLines({ environment }: DeployedFunction, instance: Instance): string[] {
  if (environment['AWS_LAMBDA_LOG_FORMAT'] !== 'JSON') return [];
  const lines = instance
    .printed()
    .split('\n')
    .filter((line) => line !== '');
  return lines.flatMap((line) =>
    differences({ level: /^[A-Z]+$/, timestamp: /^\d{4}-/ }, line, `a line of its log, ${line},`),
  );
}
