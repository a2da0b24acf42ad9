/** Resolves the names used in a template. Each function throws for an unknown name. */
export interface Scope {
  /** `Ref`: a parameter, a pseudo parameter or a created resource. */
  ref(name: string): unknown;
  /** `Fn::GetAtt`. */
  attribute(logicalId: string, attribute: string): string;
  condition(name: string): boolean;
  /** `Fn::FindInMap`. */
  mapping(map: string, topLevelKey: string, secondLevelKey: string): unknown;
}

/** `AWS::NoValue`: properties and list elements with this value are left out. */
export const noValue: unique symbol = Symbol('AWS::NoValue');

type Intrinsic = (argument: unknown, scope: Scope) => unknown;

/** Intrinsic functions that a CDK app without macros generates (template reference, "Intrinsic functions"). */
const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, scope) => scope.ref(text(name, 'Ref')),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId, attribute] = attributePath(argument);
    return scope.attribute(logicalId, text(resolve(attribute, scope), 'Fn::GetAtt'));
  },
  'Fn::Join': (argument, scope) => {
    const [delimiter, parts] = list(argument, 'Fn::Join');
    const resolved = list(resolve(parts, scope), 'Fn::Join');
    return resolved.map((part) => text(part, 'Fn::Join')).join(text(delimiter, 'Fn::Join'));
  },
  'Fn::Sub': (argument, scope) => {
    const [template, variables] = Array.isArray(argument) ? (argument as unknown[]) : [argument, {}];
    const own = record(resolve(variables, scope));
    return text(template, 'Fn::Sub').replace(substitution, (_match, literal: string | undefined, name: string) => {
      if (literal) return `\${${name}}`;
      if (Object.hasOwn(own, name)) return text(own[name], 'Fn::Sub');
      const [logicalId, attribute] = splitOnce(name);
      return text(attribute ? scope.attribute(logicalId, attribute) : scope.ref(name), 'Fn::Sub');
    });
  },
  'Fn::Select': (argument, scope) => {
    const [index, from] = list(argument, 'Fn::Select');
    const position = Number(resolve(index, scope));
    const values = list(resolve(from, scope), 'Fn::Select');
    if (!(position in values))
      throw new Error(`Fn::Select: there is no element ${position} in a list of ${values.length}`);
    return values[position];
  },
  'Fn::Split': (argument, scope) => {
    const [delimiter, source] = list(argument, 'Fn::Split');
    return text(resolve(source, scope), 'Fn::Split').split(text(delimiter, 'Fn::Split'));
  },
  'Fn::FindInMap': (argument, scope) => {
    const [map, top, second] = list(resolve(argument, scope), 'Fn::FindInMap').map((key) => text(key, 'Fn::FindInMap'));
    return scope.mapping(map ?? '', top ?? '', second ?? '');
  },
  'Fn::If': (argument, scope) => {
    const [name, whenTrue, whenFalse] = list(argument, 'Fn::If');
    return resolve(scope.condition(text(name, 'Fn::If')) ? whenTrue : whenFalse, scope);
  },
  'Fn::Equals': (argument, scope) => {
    const [left, right] = list(resolve(argument, scope), 'Fn::Equals');
    return JSON.stringify(left) === JSON.stringify(right);
  },
  'Fn::And': (argument, scope) => list(argument, 'Fn::And').every((one) => isTrue(one, scope)),
  'Fn::Or': (argument, scope) => list(argument, 'Fn::Or').some((one) => isTrue(one, scope)),
  'Fn::Not': (argument, scope) => !isTrue(list(argument, 'Fn::Not')[0], scope),
};

/** `${Name}`, `${Name.Attribute}` and the literal `${!Name}`. */
const substitution = /\$\{(!?)([^}!]+)\}/g;

/**
 * Resolves all intrinsic functions in `value`.
 * @throws Error for a function that is not supported, such as `Fn::ImportValue`, and for names that the scope does not
 *   know
 */
export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((one) => resolve(one, scope)).filter((one) => one !== noValue);
  if (typeof value !== 'object' || value === null) return value;
  const call = intrinsicCall(value);
  if (call) return call.intrinsic(call.argument, scope);
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, resolve(one, scope)] as const)
      .filter(([, one]) => one !== noValue),
  );
}

/** Evaluates a condition's definition, the only place where `{Condition: name}` refers to another condition. */
export function isTrue(definition: unknown, scope: Scope): boolean {
  const name = record(definition)['Condition'];
  return name === undefined ? resolve(definition, scope) === true : scope.condition(text(name, 'Condition'));
}

/** Names that `value` refers to through Ref, Fn::GetAtt and Fn::Sub, without pseudo parameters. */
export function referencesIn(value: unknown): Set<string> {
  const names = new Set<string>();
  const add = (name: string) => {
    if (!name.startsWith('AWS::')) names.add(name);
  };
  const visit = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    const [key, argument] = soleEntry(one) ?? [];
    if (key === 'Ref' && typeof argument === 'string') add(argument);
    if (key === 'Fn::GetAtt') add(attributePath(argument)[0]);
    if (key === 'Fn::Sub') {
      const [template, variables] = Array.isArray(argument) ? (argument as unknown[]) : [argument, {}];
      for (const [, literal, name] of text(template, 'Fn::Sub').matchAll(substitution)) {
        if (!literal && name && !Object.hasOwn(record(variables), name)) add(splitOnce(name)[0]);
      }
    }
    Object.values(one).forEach(visit);
  };
  visit(value);
  return names;
}

function intrinsicCall(value: object): { intrinsic: Intrinsic; argument: unknown } | undefined {
  const [key, argument] = soleEntry(value) ?? [];
  if (key === undefined || (key !== 'Ref' && !key.startsWith('Fn::'))) return undefined;
  const intrinsic = intrinsics[key];
  if (!intrinsic) throw new Error(`${key} is not supported on this machine`);
  return { intrinsic, argument };
}

function soleEntry(value: object): [string, unknown] | undefined {
  const entries = Object.entries(value) as [string, unknown][];
  return entries.length === 1 ? entries[0] : undefined;
}

function attributePath(argument: unknown): [string, unknown] {
  if (typeof argument === 'string') return splitOnce(argument);
  const [logicalId, attribute] = list(argument, 'Fn::GetAtt');
  return [text(logicalId, 'Fn::GetAtt'), attribute];
}

function splitOnce(name: string): [string, string] {
  const dot = name.indexOf('.');
  return dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
}

function list(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${where} needs a list, not ${JSON.stringify(value)}`);
  return value;
}

function text(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`${where} needs text, not ${value === undefined ? 'nothing' : JSON.stringify(value)}`);
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
