import { randomUUID } from 'node:crypto';
import { ask, expectStatus } from './ask';
import type { Caller, Timed } from './caller';
import { createWithKey } from './creation-model';
import { cancelJob, deleteJob, getJob, patchJob, type JobFields } from './job-model';
import type { Operation } from './operations';
import { nobodys, type JobRecord, type World } from './world';

type Given<Act extends Operation['act']> = Extract<Operation, { act: Act }>['given'];

const jobKeys = (world: World, caller: Caller, key: number) => {
  const name = `${caller.name} job ${key}`;
  const known = world.keys.get(name) ?? { uuid: randomUUID(), steps: [] };
  world.keys.set(name, known);
  return known;
};

export async function createJob(world: World, caller: Caller, given: Given<'create job'>): Promise<void> {
  const { whose, device, key, ...fields } = given;
  const { organisation } = caller;
  const stranger = world.organisations.find((other) => other !== organisation) ?? organisation;
  const group = organisation.groups[0];
  const groups = { own: group?.deviceGroupId, foreign: stranger.groups[0]?.deviceGroupId, nobody: undefined };
  const body = {
    ...fields,
    deviceGroupId: groups[whose] ?? nobodys('group', organisation),
    ...(device && whose === 'own' && { deviceId: group?.devices[0]?.deviceId }),
  };
  const kept = key === null || whose !== 'own' ? undefined : jobKeys(world, caller, key);
  const label = `${caller.name} creates a job${kept ? ` with key ${key}` : ''}`;
  const headers = kept ? { 'idempotency-key': kept.uuid } : {};
  const answer = await ask(world, caller, label, 'command:create', () =>
    caller.call('POST', '/v3/jobs/create', { body, headers }),
  );
  if (!answer) return;
  const count = caller.countOf('POST /v3/jobs/create', answer);
  if (count) world.counted.push(count);
  else world.complain(label, 'no headers of a limit');
  const { start, end, status } = answer;
  if (status === 429) return;
  if (whose !== 'own') {
    expectStatus(world, label, answer, whose === 'foreign' ? 403 : 404);
    return;
  }
  const asked = JSON.stringify(body);
  const answered = status === 201 ? JSON.stringify(answer.body) : undefined;
  kept?.steps.push(createWithKey({ start, end, label: `${label} → ${status}` }, asked, answered));
  if (status !== 201) {
    expectStatus(world, label, answer, ...(kept ? [400] : [201]));
    return;
  }
  keepJob(world, caller, { body, answer, label, isRepeatable: kept !== undefined });
}

interface Creation {
  readonly body: JobFields & Readonly<Record<string, unknown>>;
  readonly answer: Timed;
  readonly label: string;
  readonly isRepeatable: boolean;
}

/** Checks the answer to a creation and takes the job into play. */
function keepJob(world: World, caller: Caller, { body, answer, label, isRepeatable }: Creation): void {
  const { start, end } = answer;
  const { name, description, metadata, priority = 5, ...fixed } = body;
  const job = answer.body['job'] as Readonly<Record<string, unknown>>;
  const id = String(job['jobId']);
  const known = world.jobs.get(id);
  if (known && !isRepeatable) world.complain(label, `${known.name} is created a second time`);
  if (known) {
    Object.assign(known.created, {
      start: Math.min(known.created.start, start),
      end: Math.min(known.created.end, end),
    });
    return;
  }
  const isShown = job['name'] === name && job['status'] === 'PENDING' && job['priority'] === priority;
  if (!isShown || !id.startsWith(`job-${caller.organisation.tag}-`))
    world.complain(label, 'another job than asked for');
  world.jobs.set(id, {
    id,
    name: `job ${world.jobs.size + 1} of ${caller.organisation.name}`,
    organisation: caller.organisation,
    created: { start, end, label: `${label} → 201` },
    asked: { name, description, metadata, priority },
    fixed: { jobId: id, createdAt: job['createdAt'], ...fixed },
    steps: [],
    reports: [],
    seen: 1,
  });
}

const pathOf = (job: JobRecord | undefined, caller: Caller) =>
  `/v3/jobs/${job?.id ?? nobodys('job', caller.organisation)}`;

/** Answers about nobody's job are 404; others are kept for the judge. */
function settle(world: World, job: JobRecord | undefined, label: string, answer: Timed) {
  if (!job) expectStatus(world, label, answer, 404);
  return (
    job && { steps: job.steps, window: { start: answer.start, end: answer.end, label: `${label} → ${answer.status}` } }
  );
}

const isForeign = (job: JobRecord, caller: Caller) => job.organisation !== caller.organisation;

export async function readJob(world: World, caller: Caller, job: JobRecord | undefined): Promise<Timed | undefined> {
  const label = `${caller.name} reads`;
  const answer = await ask(world, caller, label, 'command:read', () => caller.call('GET', pathOf(job, caller)));
  const kept = answer && settle(world, job, `${label}${answer.etag ? ` ${answer.etag}` : ''}`, answer);
  if (kept && job) kept.steps.push(getJob(kept.window, answer, isForeign(job, caller), job.fixed));
  return answer;
}

export async function changeJob(world: World, caller: Caller, given: Given<'patch job'>): Promise<void> {
  const { target, change, ifMatch } = given;
  const job = world.jobFor(caller, target);
  const seen = job?.seen ?? 1;
  const version = { none: undefined, any: undefined, seen, older: seen - 1 }[ifMatch];
  const header = ifMatch === 'any' ? '*' : version === undefined ? undefined : `"${version}"`;
  const asked = `${Object.keys(change).join(', ')}${change.status ? ` → ${change.status}` : ''}`;
  const label = `${caller.name} changes {${asked}}${header ? ` if ${header}` : ''}`;
  const answer = await ask(world, caller, label, 'command:update', () =>
    caller.call('PATCH', pathOf(job, caller), { body: change, headers: header ? { 'if-match': header } : {} }),
  );
  if (!answer) return;
  const kept = settle(world, job, `${label}${answer.etag ? ` ${answer.etag}` : ''}`, answer);
  if (!kept || !job) return;
  kept.steps.push(patchJob(kept.window, answer, isForeign(job, caller), change, version));
  const shown = Number((answer.body['job'] as Record<string, unknown> | undefined)?.['version'] ?? 0);
  job.seen = Math.max(job.seen, shown);
}

export async function cancel(world: World, caller: Caller, job: JobRecord | undefined): Promise<void> {
  const label = `${caller.name} cancels`;
  const answer = await ask(world, caller, label, 'command:update', () =>
    caller.call('POST', `${pathOf(job, caller)}/cancel`),
  );
  const kept = answer && settle(world, job, label, answer);
  if (kept && job) kept.steps.push(cancelJob(kept.window, answer, isForeign(job, caller)));
}

export async function remove(world: World, caller: Caller, job: JobRecord | undefined): Promise<void> {
  const label = `${caller.name} deletes`;
  const answer = await ask(world, caller, label, 'command:update', () => caller.call('DELETE', pathOf(job, caller)));
  const kept = answer && settle(world, job, label, answer);
  if (!kept || !job) return;
  kept.steps.push(deleteJob(kept.window, answer, isForeign(job, caller)));
  if (answer.status === 200) job.deleted = answer.start;
}

/** A misspelt field is named and changes nothing (design, section 3: bodies are strict). */
export async function askBadly(world: World, caller: Caller, job: JobRecord | undefined): Promise<void> {
  const label = `${caller.name} misspells`;
  const body = { nmae: 'x', status: 'CANCELLED' };
  const answer = await ask(world, caller, label, 'command:update', () =>
    caller.call('PATCH', pathOf(job, caller), { body }),
  );
  if (answer) expectStatus(world, label, answer, 400);
}

export async function listJobs(world: World, caller: Caller, given: Given<'list jobs'>): Promise<void> {
  const { limit, status } = given;
  const query = new URLSearchParams({
    ...(limit !== null && { limit: String(limit) }),
    ...(status !== null && { status }),
  });
  const label = `${caller.name} lists jobs ${query.toString()}`;
  const answer = await ask(world, caller, label, 'command:read', () =>
    caller.call('GET', `/v3/jobs?${query.toString()}`),
  );
  if (!answer) return;
  expectStatus(world, label, answer, 200);
  const items = (answer.body['jobs'] ?? []) as Readonly<Record<string, unknown>>[];
  const { start, end, body } = answer;
  if (status !== null && items.some((item) => item['status'] !== status)) world.complain(label, 'another status');
  if (body['count'] !== items.length || items.length > (limit ?? 50))
    world.complain(label, 'a count that is not that of jobs');
  const page = { isFiltered: status !== null, isLastPage: body['nextToken'] === undefined, items };
  world.listings.push({ of: 'jobs', organisation: caller.organisation, label, start, end, ...page });
}
