import * as z from 'zod';

/** A string or a list of strings: IAM accepts both. */
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

/** An IAM policy document, normalised by {@link parsePolicy}: every list is a list. */
export type PolicyDocument = z.infer<typeof document>;

/** A request to be authorised; `context` has the values of condition keys. */
export interface AccessRequest {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

/** `implicitDeny`: no statement applies to the request. */
export type Decision = 'allow' | 'deny' | 'implicitDeny';

/** Parses a policy document of IAM's JSON grammar. @throws ZodError */
export function parsePolicy(value: unknown): PolicyDocument {
  return document.parse(value);
}

/**
 * Evaluates the policy documents of one principal: an explicit deny wins, then an allow, else `implicitDeny` (IAM user
 * guide, "Policy evaluation logic").
 * @throws Error when a statement that applies has an unsupported condition operator: guessing could grant too much
 */
export function evaluate(documents: readonly PolicyDocument[], request: AccessRequest): Decision {
  let decision: Decision = 'implicitDeny';
  for (const { Statement } of documents) {
    for (const one of Statement) {
      if (!applies(one, request)) continue;
      if (one.Effect === 'Deny') return 'deny';
      decision = 'allow';
    }
  }
  return decision;
}

function applies(one: Statement, request: AccessRequest): boolean {
  // Actions are case-insensitive, resources case-sensitive (IAM JSON policy elements).
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

/** Evaluates Action and NotAction, or Resource and NotResource; a statement with neither covers nothing. */
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
 * Whether `text` matches a pattern in which `*` matches any characters, including slashes and colons, and `?` exactly one.
 * Greedy with one backtracking point, so the time is bounded by the product of both lengths.
 */
export function matches(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (pattern[p] === '?' || pattern[p] === text[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
