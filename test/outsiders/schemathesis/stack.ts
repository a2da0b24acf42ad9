import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { scopes } from '../../../contract/terms/scopes';
import { runPartnerCommand } from '../../api/stack/aws-access';
import { readFacts } from '../../api/stack/facts';
import { startStack, stopStack } from '../../api/stack/running-stack';
import { givenFlyingDevice, givenFreeDevices } from '../../channels/flying-device';
import { checkMission } from '../../../packages/simulator/check-mission';
import type { SimulatedDevice } from '../../../packages/simulator/fleet';
import { makePlatformQueue, publishPlatformEvent } from '../../channels/platform-bus';

const TYPE = 'mission.check.requested';

const received = z.object({ 'detail-type': z.literal(TYPE), detail: z.unknown() });

/**
 * Starts a drone platform that answers checks of jobs as the simulated fleet does, and does nothing else: it flies no job.
 * @param devices all that it flies
 * @returns ends it. @throws Error when it could not answer
 */
async function startCheckingPlatform(devices: readonly SimulatedDevice[]): Promise<() => Promise<void>> {
  const queue = await makePlatformQueue('checking-platform', [TYPE]);
  let isStopped = false;

  async function answer(event: unknown): Promise<void> {
    const { detail } = received.parse(event);
    await publishPlatformEvent('mission.check.reported', checkMission(detail, devices, 'schemathesis'), new Date());
  }
  async function listen(): Promise<void> {
    while (!isStopped) await Promise.all((await queue.take(1)).map(answer));
  }
  const listening = listen();
  // Whoever stops it gets to know.
  listening.catch(() => undefined);

  return async () => {
    isStopped = true;
    await listening;
  };
}

/** Enough that none of them reaches a limit per client, the lowest of which is 30 shares a minute. */
const CLIENTS = 24;

/** Each dispatch takes one. */
const FREE_DEVICES = 100;

const group = z.object({ deviceGroupId: z.string(), devices: z.array(z.object({ deviceId: z.string() })) });
const partner = z.object({ deviceGroups: z.tuple([group], group) });
const onboarded = z.object({ partners: z.tuple([partner], partner) });

/** One organisation with a fleet: its clients see the same jobs and shares. */
const onboarding = {
  organisations: [
    {
      name: 'schemathesis',
      deviceGroups: [{ name: 'North', devices: [{ name: 'North 1', stream: true }, { name: 'North 2' }] }],
      clients: Array.from({ length: CLIENTS }, (_, index) => ({ name: `client-${index + 1}`, scopes })),
    },
  ],
};

/** A stack of this machine with onboarded clients. */
export interface OnboardedStack {
  readonly url: string;
  /** Output of `partner onboard --json`, with secrets: only this user can read it. */
  readonly partnersFile: string;
  /** A device in flight. */
  readonly flyingDevice: string;
  stop(): Promise<void>;
}

/**
 * Starts a stack on free ports without a simulated fleet, so that only requests change jobs, onboards the clients, and
 * answers checks of jobs, each of which would otherwise wait for seconds.
 */
export async function startOnboardedStack(): Promise<OnboardedStack> {
  const stack = await startStack();
  let stopPlatform = () => Promise.resolve();
  const folder = mkdtempSync(join(tmpdir(), 'outsiders-partners-'));
  const stop = async () => {
    rmSync(folder, { recursive: true });
    try {
      await stopPlatform();
    } finally {
      await stopStack(stack);
    }
  };
  try {
    process.env['STACK_FILE'] = join(stack.folder, 'stack.json');
    const plan = join(folder, 'onboarding.json');
    writeFileSync(plan, JSON.stringify(onboarding));
    const partnersFile = join(folder, 'partners.json');
    writeFileSync(partnersFile, await runPartnerCommand('onboard', '--file', plan), { mode: 0o600 });
    const { partners } = onboarded.parse(JSON.parse(readFileSync(partnersFile, 'utf8')));
    const [{ deviceGroupId, devices }] = partners[0].deviceGroups;
    await givenFreeDevices(deviceGroupId, FREE_DEVICES);
    // Those that a check is asked for: the courses of a hundred more would take most of the time of an answer.
    stopPlatform = await startCheckingPlatform(
      devices.map(({ deviceId }) => ({ kind: 'device', deviceId, deviceGroupId })),
    );
    const flyingDevice = await givenFlyingDevice(deviceGroupId);
    return { url: readFacts().baseUrl, partnersFile, flyingDevice, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
