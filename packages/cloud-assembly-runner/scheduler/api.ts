/** EventBridge Scheduler API: API reference, operations on schedules. */
import * as z from 'zod';
import { failure } from '../aws-endpoint/aws-error';
import type { AccessRequest } from '../iam/policy';
import type { Quotas } from '../quotas';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';
import { parseScheduleExpression, schedule, type StoredSchedule, type Schedule } from './schedule';

/** Store of schedules behind the API. */
export interface Schedules {
  all(): readonly StoredSchedule[];
  find(groupName: string, name: string): StoredSchedule | undefined;
  put(schedule: StoredSchedule): void;
  remove(schedule: StoredSchedule): void;
  hasGroup(name: string): boolean;
  /** Whether Scheduler may assume the role. */
  canAssume(roleArn: string): boolean;
  arnOf(groupName: string, name: string): string;
  readonly quotas: Pick<Quotas, 'admits'>;
}

interface Target {
  readonly operation: string;
  readonly groupName: string;
  readonly name: string;
  readonly input: unknown;
}

const listOperation = 'ListSchedules';
const operationNames: Readonly<Record<string, string>> = {
  POST: 'CreateSchedule',
  PUT: 'UpdateSchedule',
  GET: 'GetSchedule',
  DELETE: 'DeleteSchedule',
};

const named = z.object({ GroupName: z.string().optional() });
const withRole = z.object({ Target: z.object({ RoleArn: z.string() }) });

/** CreateSchedule, UpdateSchedule, GetSchedule, DeleteSchedule and ListSchedules. */
export function createSchedulerApi(schedules: Schedules): AwsApi {
  const operations: Readonly<Record<string, (target: Target) => AwsAnswer>> = {
    CreateSchedule: ({ groupName, name, input }) => {
      if (!schedules.quotas.admits('createSchedule'))
        return failure('rest', 429, 'ThrottlingException', 'Rate exceeded');
      const wanted = read(name, input);
      if ('status' in wanted) return wanted;
      if (schedules.find(groupName, name)) {
        return failure('rest', 409, 'ConflictException', `Schedule ${name} already exists.`);
      }
      const now = Date.now() / 1000;
      schedules.put({ ...wanted, CreationDate: now, LastModificationDate: now, onCompleted: false });
      return json({ ScheduleArn: schedules.arnOf(groupName, name) });
    },

    UpdateSchedule: ({ groupName, name, input }) => {
      const wanted = read(name, input);
      if ('status' in wanted) return wanted;
      const known = schedules.find(groupName, name);
      if (!known) return notFound(name);
      const { CreationDate } = known;
      schedules.put({ ...wanted, CreationDate, LastModificationDate: Date.now() / 1000, onCompleted: false });
      return json({ ScheduleArn: schedules.arnOf(groupName, name) });
    },

    GetSchedule: ({ groupName, name }) => {
      const known = schedules.find(groupName, name);
      if (!known) return notFound(name);
      const { onCompleted: _, ...shown } = known;
      return json({ Arn: schedules.arnOf(groupName, name), ...shown });
    },

    DeleteSchedule: ({ groupName, name }) => {
      const known = schedules.find(groupName, name);
      if (!known) return notFound(name);
      schedules.remove(known);
      return json({});
    },

    ListSchedules: () =>
      json({
        Schedules: schedules.all().map(({ Name, GroupName, State, CreationDate, LastModificationDate, Target }) => ({
          Arn: schedules.arnOf(GroupName, Name),
          Name,
          GroupName,
          State,
          CreationDate,
          LastModificationDate,
          Target: { Arn: Target.Arn },
        })),
      }),
  };

  /** The schedule in a request body, or the error response. */
  function read(name: string, input: unknown): Schedule | AwsAnswer {
    const { ClientToken: _, ...body } = (input ?? {}) as Record<string, unknown>;
    const parsed = schedule.safeParse({ ...body, Name: name });
    if (!parsed.success) return invalid(z.prettifyError(parsed.error));
    const { GroupName, ScheduleExpression, Target } = parsed.data;
    const timing = parseScheduleExpression(ScheduleExpression);
    // Scheduler refuses times in the past.
    if (timing && 'at' in timing && timing.at < Date.now() - 1000) return invalid('The schedule lies in the past.');
    if (!schedules.hasGroup(GroupName)) {
      return failure('rest', 404, 'ResourceNotFoundException', `Schedule group ${GroupName} does not exist.`);
    }
    if (schedules.canAssume(Target.RoleArn)) return parsed.data;
    return invalid('The execution role you provide must allow AWS EventBridge Scheduler to assume the role.');
  }

  return {
    signingName: 'scheduler',

    permissions(call) {
      const { operation, groupName, name, input } = targetOf(call);
      const resource = operation === listOperation ? '*' : schedules.arnOf(groupName, name);
      const needed: AccessRequest[] = [{ action: `scheduler:${operation}`, resource }];
      const role = withRole.safeParse(input).data?.Target.RoleArn;
      // The caller passes the target's role to Scheduler.
      const context = { 'iam:PassedToService': ['scheduler.amazonaws.com'] };
      return role === undefined ? needed : [...needed, { action: 'iam:PassRole', resource: role, context }];
    },

    answer(call) {
      const target = targetOf(call);
      const operation = operations[target.operation];
      return Promise.resolve(
        operation?.(target) ??
          failure('rest', 400, 'ValidationException', `${call.method} ${call.path} is not supported on this machine`),
      );
    },
  };
}

function targetOf({ method, path, body }: AwsCall): Target {
  const url = new URL(path, 'http://scheduler');
  const [, name] = /^\/schedules\/([^/]+)$/.exec(url.pathname) ?? [];
  const input = parse(body);
  const isList = method === 'GET' && url.pathname === '/schedules';
  return {
    operation: isList ? listOperation : ((name === undefined ? undefined : operationNames[method]) ?? 'Unknown'),
    groupName: url.searchParams.get('groupName') ?? named.safeParse(input).data?.GroupName ?? 'default',
    name: name ?? '',
    input,
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

function notFound(name: string): AwsAnswer {
  return failure('rest', 404, 'ResourceNotFoundException', `Schedule ${name} does not exist.`);
}

function invalid(message: string): AwsAnswer {
  return failure('rest', 400, 'ValidationException', message);
}

function json(value: object): AwsAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
