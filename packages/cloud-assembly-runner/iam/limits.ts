/** IAM user guide, "IAM and AWS STS quotas". White space does not count. */
const MAX_INLINE_CHARACTERS = 10_240;
const MAX_MANAGED_CHARACTERS = 6_144;
const MAX_TRUST_CHARACTERS = 2_048;
const MAX_MANAGED_POLICIES = 10;

/** Quota checks of IAM; each throws an Error that names what exceeds a quota. */
export interface IamLimits {
  trust(roleName: string, document: unknown): void;
  /** Adds an inline policy; all inline policies of a role count together. */
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
      check(`Role ${roleName}`, size, MAX_INLINE_CHARACTERS, 'characters of inline policies');
    },
    managed: (name, document) => check(`The managed policy ${name}`, sizeOf(document), MAX_MANAGED_CHARACTERS),
    managedPolicies: (roleName, count) => check(`Role ${roleName}`, count, MAX_MANAGED_POLICIES, 'managed policies'),
  };
}

function sizeOf(document: unknown): number {
  return JSON.stringify(document ?? {}).replaceAll(/\s/g, '').length;
}

function check(what: string, number: number, most: number, unit = 'characters'): void {
  if (number > most) throw new Error(`${what} has ${number} ${unit}, IAM allows ${most}`);
}
