/** How much IAM takes: user guide, "IAM and AWS STS quotas". White space does not count. */
const MAX_INLINE_CHARACTERS = 10_240;
const MAX_MANAGED_CHARACTERS = 6_144;
const MAX_TRUST_CHARACTERS = 2_048;
const MOST_MANAGED_POLICIES = 10;

/** Each throws for what IAM would not take, and names it. */
export interface IamLimits {
  trust(roleName: string, document: unknown): void;
  /** Adds to what is written into a role, all of which counts together. */
  inline(roleName: string, document: unknown): void;
  managed(name: string, document: unknown): void;
  managedPolicies(roleName: string, count: number): void;
}

export function createIamLimits(): IamLimits {
  const inlineSizes = new Map<string, number>();
  return {
    trust: (roleName, document) =>
      check(`The trust policy of role ${roleName}`, sizeOf(document), MAX_TRUST_CHARACTERS),
    inline(roleName, document) {
      const size = (inlineSizes.get(roleName) ?? 0) + sizeOf(document);
      inlineSizes.set(roleName, size);
      check(`What is written into role ${roleName}`, size, MAX_INLINE_CHARACTERS);
    },
    managed: (name, document) => check(`The managed policy ${name}`, sizeOf(document), MAX_MANAGED_CHARACTERS),
    managedPolicies: (roleName, count) => check(`Role ${roleName}`, count, MOST_MANAGED_POLICIES, 'managed policies'),
  };
}

function sizeOf(document: unknown): number {
  return JSON.stringify(document ?? {}).replaceAll(/\s/g, '').length;
}

function check(what: string, number: number, most: number, unit = 'characters'): void {
  if (number > most) throw new Error(`${what} has ${number} ${unit}, IAM takes ${most}`);
}
