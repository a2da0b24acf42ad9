import * as z from 'zod';

/** One or many strings, as IAM lets both stand. */
const oneOrMany = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const statement = z.object({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMany.optional(),
  NotAction: oneOrMany.optional(),
  Resource: oneOrMany.optional(),
  NotResource: oneOrMany.optional(),
  Condition: z.record(z.string(), z.record(z.string(), oneOrMany)).default({}),
});

const document = z.object({
  Version: z.string().optional(),
  Statement: z.union([statement.transform((one) => [one]), z.array(statement)]),
});

type Statement = z.infer<typeof statement>;

/** An IAM policy document in one shape: every list is a list. Made by {@link parsePolicy}. */
export type PolicyDocument = z.infer<typeof document>;

/** What somebody wants to do; `context` holds the values of condition keys. */
export interface AccessRequest {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

/** `implicitDeny`: no statement speaks of the request. */
export type Decision = 'allow' | 'deny' | 'implicitDeny';

/** Reads a policy document of IAM's JSON grammar; throws a ZodError on another shape. */
export function parsePolicy(value: unknown): PolicyDocument {
  return document.parse(value);
}

/**
 * Decides one request against policy documents of one principal: an explicit deny wins, then an allow, else
 * `implicitDeny` (IAM user guide, "Policy evaluation logic"). Throws when a statement has a condition operator
 * that is not supported here, because guessing would grant or refuse at random.
 */
export function evaluate(documents: readonly PolicyDocument[], request: AccessRequest): Decision {
  let decision: Decision = 'implicitDeny';
  for (const { Statement } of documents) {
    for (const one of Statement) {
      if (!speaksOf(one, request)) continue;
      if (one.Effect === 'Deny') return 'deny';
      decision = 'allow';
    }
  }
  return decision;
}

function speaksOf(one: Statement, request: AccessRequest): boolean {
  // Actions are compared without regard to case, resources with it (IAM JSON policy elements).
  const action = request.action.toLowerCase();
  const matchesAction = (pattern: string) => matches(pattern.toLowerCase(), action);
  const matchesResource = (pattern: string) => matches(pattern, request.resource);
  return (
    covers(one.Action, one.NotAction, matchesAction) &&
    covers(one.Resource, one.NotResource, matchesResource) &&
    Object.entries(one.Condition).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) => holds(operator, wanted, valuesOf(request, key))),
    )
  );
}

/** A statement names what it covers, or all that it does not cover; one that names neither covers nothing. */
function covers(named?: string[], notNamed?: string[], matchesIt: (pattern: string) => boolean = () => false): boolean {
  if (named) return named.some(matchesIt);
  return notNamed !== undefined && !notNamed.some(matchesIt);
}

function valuesOf(request: AccessRequest, key: string): readonly string[] {
  const name = key.toLowerCase();
  return Object.entries(request.context ?? {}).find(([other]) => other.toLowerCase() === name)?.[1] ?? [];
}

function holds(operator: string, wanted: readonly string[], values: readonly string[]): boolean {
  switch (operator) {
    case 'StringEquals':
      return values.some((value) => wanted.includes(value));
    case 'StringLike':
      return values.some((value) => wanted.some((pattern) => matches(pattern, value)));
    case 'ForAllValues:StringEquals':
      return values.every((value) => wanted.includes(value));
    default:
      throw new Error(`Condition operator ${operator} is not supported on this machine`);
  }
}

/**
 * Whether `text` fits a pattern in which `*` stands for any characters, slashes and colons among them, and `?` for
 * exactly one. Greedy with one point of return, so the time is bounded by the product of both lengths.
 */
export function matches(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let afterStar = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      afterStar = t;
    } else if (pattern[p] === '?' || pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++afterStar;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
