/** What the scopes of a token permit, and what `all` scopes are. */
import type { Endpoint } from './endpoint';

/** OAuth scopes (spec section 5), with the description that Cognito shows. */
export const scopeDescriptions = {
  'command:create': 'Create jobs and missions',
  'command:read': 'Read missions, read and follow jobs and commands',
  'command:update': 'Change and delete jobs and missions',
  'command:control': 'Command devices in flight',
  'stream:share': 'Share a device with viewers',
  'stream:publish': 'Publish telemetry',
  'share:read': 'Read shares and follow their status',
  'share:manage': 'Revoke shares',
  'resources:read': 'Read the fleet and follow its status',
} as const;

export type Scope = keyof typeof scopeDescriptions;

export const scopes = Object.keys(scopeDescriptions) as readonly Scope[];

/**
 * The scopes that `all` means. It never means more, so that no partner may command drones by an upgrade: that is
 * granted by name.
 */
export const scopesInAll: readonly Scope[] = scopes.filter((scope) => scope !== 'command:control');

/** Of an endpoint: the scopes that its token needs. */
export type Scoped = Pick<Endpoint, 'scope'>;

const needsAll = (scope: Endpoint['scope']): scope is { readonly all: readonly Scope[] } =>
  scope !== null && typeof scope === 'object' && 'all' in scope;

/** The scopes that an endpoint names, of which a token needs one, or all; none for the endpoint that needs no token. */
export const namedScopes = ({ scope }: Scoped): readonly Scope[] =>
  scope === null ? [] : needsAll(scope) ? scope.all : [scope].flat();

/** What joins the names of an endpoint's scopes. */
export const scopeWord = ({ scope }: Scoped): 'and' | 'or' => (needsAll(scope) ? 'and' : 'or');

/** The scopes of an endpoint as a text: `a and b`, or `a or b`. */
export const scopeNames = (endpoint: Scoped): string => namedScopes(endpoint).join(` ${scopeWord(endpoint)} `);

/** Whether a token with these scopes may call an endpoint. */
export const permits = (endpoint: Scoped, granted: readonly string[]): boolean =>
  needsAll(endpoint.scope)
    ? endpoint.scope.all.every((scope) => granted.includes(scope))
    : namedScopes(endpoint).some((scope) => granted.includes(scope));
