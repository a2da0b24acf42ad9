import { lintTexts, rulesOfConfig } from './lint-texts';

/** Files of each folder whose rules differ, * being a name. */
const typescript = [
  'bin/*.ts',
  'clients/typescript/*.ts',
  'clients/typescript/test/*.ts',
  'contract/*.ts',
  'data/store/*.ts',
  'docs/site/*.ts',
  'docs/site/*.mts',
  'domain/values/*.ts',
  'lambdas/jobs/*.ts',
  'lib/rest/*.ts',
  'packages/cloud-assembly-runner/*.ts',
  'packages/cloud-assembly-runner/test/*.ts',
  'packages/platform-kit/*.ts',
  'packages/simulator/*.ts',
  'test/*.ts',
  'viewer/*.ts',
];
const javascript = ['*.mjs', 'docs/*.js', 'test/*.mjs'];
const everywhere = [...typescript, ...javascript];
const within = (...folders: string[]) =>
  everywhere.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));
const tests = within('clients/typescript/test', 'packages/cloud-assembly-runner/test', 'test');
const product = within('contract', 'data', 'domain', 'lambdas', 'lib', 'packages/simulator', 'viewer');
const boundMethods = typescript.filter((file) => !/^(packages|test)\//.test(file));
const importing = typescript.filter((file) => !/^(packages\/platform-kit|test)\//.test(file));

/** A violation of each rule, and the files in which it is one. */
const violations: readonly (readonly [rule: string, code: string, files?: readonly string[]])[] = [
  ['eslint(no-array-constructor)', 'export const a = new Array(1, 2);', everywhere],
  ['eslint(no-restricted-globals)', "it('answers', () => undefined);", tests],
  ['eslint(no-restricted-imports)', "export { a } from '../packages/cloud-assembly-runner/a';", within('test')],
  [
    'eslint(no-restricted-imports)',
    "export { a } from './a.texts';",
    within('bin', 'contract', 'data', 'docs', 'domain', 'lambdas', 'lib', 'packages/simulator', 'viewer'),
  ],
  ['eslint(no-restricted-properties)', 'export const a = process.env;', product],
  ['eslint(no-unused-expressions)', 'export const f = (a, g) => { a; g(); };', everywhere],
  ['eslint(no-unused-expressions)', 'export const f = (a, g) => { a && g(); };', everywhere],
  ['eslint(no-unused-expressions)', 'export const f = (a, g) => { a ? g() : a(); };', everywhere],
  ['eslint(no-unused-expressions)', 'export const f = (a) => { a`b`; };', everywhere],
  ['eslint(no-unused-vars)', 'const a = 1; export {};', everywhere],
  ['eslint(no-unused-vars)', 'export const f = (a) => 1;', everywhere],
  ['eslint(no-unused-vars)', 'export const f = () => { try { f(); } catch (a) { f(); } };', everywhere],
  ['eslint(no-useless-constructor)', 'export class A { b = 1; constructor() {} }', everywhere],
  ['eslint(no-var)', 'export var a = 1;', everywhere],
  ['eslint(prefer-const)', 'let a = 1; export const b = a;', everywhere],
  ['eslint(prefer-const)', 'let [a, b] = [1, 2]; b = 3; export const c = [a, b];', everywhere],
  ['eslint(prefer-rest-params)', 'export function f() { return arguments[0]; }', everywhere],
  ['eslint(prefer-spread)', 'export const f = (g, a) => { g.apply(undefined, a); };', everywhere],
  ['eslint-js(no-restricted-syntax)', 'export const a = { ...{ b: 1 }, c: 2 };', everywhere],
  ['eslint-js(no-restricted-syntax)', 'export const a = [...[1], 2];', everywhere],
  ['eslint-js(no-restricted-syntax)', 'export function f() { const self = this; return self; }', everywhere],
  ['eslint-js(no-restricted-syntax)', 'export function f(self) { self = this; return self; }', everywhere],
  ['eslint-js(no-restricted-syntax)', "test('answers.', () => undefined);", tests],
  ['eslint-js(no-restricted-syntax)', "describe.each([1])('answers.', () => undefined);", tests],
  ['eslint-js(no-restricted-syntax)', "test('Answers', () => undefined);", tests],
  ['eslint-js(no-restricted-syntax)', "test.each([1])('Answers', () => undefined);", tests],
  ['eslint-js(no-restricted-syntax)', 'export const a = new Date();', within('domain', 'viewer')],
  ['eslint-js(no-restricted-syntax)', 'export const a = Date.now();', within('domain', 'viewer')],
  ['eslint-js(no-restricted-syntax)', 'export const a = performance.now();', within('domain', 'viewer')],
  ['eslint-js(no-restricted-syntax)', 'export const a = new SQSClient({});', within('data')],
  ['imports(arrows)', "import 'left-pad';", importing],
  ['imports(arrows)', 'export {};', ['services/*.ts', 'packages/services/*.ts']],
  ['typescript(await-thenable)', 'export const f = async () => { await 1; };'],
  ['typescript(ban-ts-comment)', '// @ts-ignore\nexport const a = 1;'],
  ['typescript(ban-ts-comment)', '// @ts-expect-error shortly\nexport const a: 1 = 2;'],
  ['typescript(no-array-delete)', 'export const f = (a: number[]) => { delete a[0]; };'],
  ['typescript(no-base-to-string)', 'export const f = (a: { b: 1 }) => String(a);'],
  ['typescript(no-confusing-void-expression)', 'export const f = (g: () => void) => [g()];'],
  ['typescript(no-deprecated)', '/** @deprecated Since today. */ const a = 1; export const b = [a];'],
  ['typescript(no-duplicate-enum-values)', 'export enum A { B = 1, C = 1 }'],
  ['typescript(no-duplicate-type-constituents)', 'export type A = 1 | 1;'],
  ['typescript(no-dynamic-delete)', 'export const f = (a, key) => { delete a[key]; };', everywhere],
  ['typescript(no-empty-object-type)', 'export type A = {};'],
  ['typescript(no-explicit-any)', 'export type A = any;'],
  ['typescript(no-extra-non-null-assertion)', 'export const f = (a?: { b: number }) => a!!.b;'],
  ['typescript(no-extraneous-class)', 'export class A { static b = 1; }', everywhere],
  ['typescript(no-floating-promises)', 'export const f = () => { Promise.resolve(1); };'],
  ['typescript(no-for-in-array)', 'export const f = (a: number[], g: () => void) => { for (const _b in a) g(); };'],
  ['typescript(no-generated-empty-object-type)', "export type A = Omit<{ b: 1 }, 'b'>;"],
  ['typescript(no-implied-eval)', "export const a = new Function('return 1');"],
  ['typescript(no-invalid-void-type)', 'export type A = void | number;'],
  ['typescript(no-meaningless-void-operator)', 'export const f = (g: () => void) => { void g(); };'],
  ['typescript(no-misused-new)', 'export interface A { new (): A }'],
  ['typescript(no-misused-promises)', 'export const f = (a: Promise<1>) => (a ? 1 : 2);'],
  [
    'typescript(no-misused-promises)',
    'export const f = (g: (h: () => void) => void) => { g(async () => { await g; }); };',
  ],
  ['typescript(no-misused-spread)', 'export const f = (a: string) => [...a];'],
  ['typescript(no-mixed-enums)', "export enum A { B = 1, C = 'c' }"],
  ['typescript(no-namespace)', 'export namespace A { export const b = 1; }'],
  ['typescript(no-non-null-asserted-nullish-coalescing)', 'export const f = (a: { b?: 1 }) => a.b! ?? 1;'],
  ['typescript(no-non-null-asserted-optional-chain)', 'export const f = (a?: { b: number }) => a?.b!;'],
  ['typescript(no-non-null-assertion)', 'export const f = (a?: number) => a!;'],
  ['typescript(no-redundant-type-constituents)', 'export type A = unknown | 1;'],
  ['typescript(no-require-imports)', "export const a = require('a');", everywhere],
  ['typescript(no-require-imports)', "import a = require('a'); export const b = [a];"],
  ['typescript(no-unnecessary-boolean-literal-compare)', 'export const f = (a: boolean) => a === true;'],
  ['typescript(no-unnecessary-condition)', 'export const f = (a: object) => (a ? 1 : 2);'],
  ['typescript(no-unnecessary-condition)', 'export const f = (a: object) => a ?? 1;'],
  ['typescript(no-unnecessary-condition)', 'export const f = (a: { b: 1 }) => a?.b;'],
  ['typescript(no-unnecessary-condition)', 'export const f = (g: () => void) => { while (true) g(); };'],
  ['typescript(no-unnecessary-template-expression)', "export const a = `${'b'}c`;"],
  ['typescript(no-unnecessary-type-arguments)', 'export const f = (g: <T = 1>() => T) => g<1>();'],
  ['typescript(no-unnecessary-type-assertion)', 'export const f = (a: number) => a as number;'],
  ['typescript(no-unnecessary-type-constraint)', 'export type A<T extends unknown> = T[];'],
  ['typescript(no-unnecessary-type-conversion)', 'export const f = (a: string) => String(a);'],
  ['typescript(no-unnecessary-type-parameters)', 'export function f<T>(a: T) { return [1, [a].length]; }'],
  ['typescript(no-unsafe-argument)', 'export const f = (a: any, g: (b: 1) => void) => { g(a); };'],
  ['typescript(no-unsafe-assignment)', 'export const f = (a: any) => { const b = a; return [1, b]; };'],
  // That of instances of a class, under another name: see tsgolint.mjs.
  ['typescript(no-unsafe-assignment)', 'class A { constructor(readonly b: 1) {} } export const a: A = { b: 1 };'],
  ['typescript(no-unsafe-call)', 'export const f = (a: any) => { a(); };'],
  ['typescript(no-unsafe-declaration-merging)', 'export interface A { b: 1 } export class A { c = 1; }'],
  ['typescript(no-unsafe-enum-assignment)', 'enum A { B = 1 } export const a: A = 1;'],
  ['typescript(no-unsafe-enum-comparison)', 'enum A { B = 1 } export const f = (a: A) => a === 1;'],
  ['typescript(no-unsafe-function-type)', 'export type A = Function;'],
  ['typescript(no-unsafe-member-access)', 'export const f = (a: any) => { a.b = 1; };'],
  ['typescript(no-unsafe-return)', 'export const f = (a: any): 1 => a;'],
  ['typescript(no-unsafe-unary-minus)', 'export const f = (a: string) => -a;'],
  ['typescript(no-useless-default-assignment)', 'export const f = ({ a = 1 }: { a: 1 }) => a;'],
  ['typescript(no-wrapper-object-types)', 'export type A = String;'],
  ['typescript(only-throw-error)', "export const f = () => { throw 'a'; };"],
  ['typescript(prefer-as-const)', "export const a = 'b' as 'b';"],
  ['typescript(prefer-literal-enum-member)', "export enum A { B = 'b'.length }"],
  ['typescript(prefer-namespace-keyword)', 'export declare module A { const b: 1; }'],
  ['typescript(prefer-promise-reject-errors)', "export const f = () => Promise.reject('a');"],
  [
    'typescript(prefer-reduce-type-parameter)',
    'export const f = (a: 1[]) => a.reduce((b, c) => [...b, c], [] as 1[]);',
  ],
  ['typescript(prefer-return-this-type)', 'export class A { b = 1; f(): A { return this; } }'],
  ['typescript(related-getter-setter-pairs)', 'export interface A { get b(): string; set b(c: number); }'],
  ['typescript(require-await)', 'export const f = async () => { f; };'],
  ['typescript(restrict-plus-operands)', 'export const f = (a: number, b: string) => a + b;'],
  ['typescript(restrict-plus-operands)', 'export const f = (a: any, b: string) => a + b;'],
  ['typescript(restrict-plus-operands)', 'export const f = (a: boolean, b: string) => a + b;'],
  ['typescript(restrict-plus-operands)', 'export const f = (a: undefined, b: string) => a + b;'],
  ['typescript(restrict-plus-operands)', 'export const f = (a: RegExp, b: string) => a + b;'],
  ['typescript(restrict-template-expressions)', 'export const f = (a: number[]) => `${a}b`;'],
  [
    'typescript(return-await)',
    'export const f = async (g: () => Promise<1>) => { try { return g(); } catch { return 1; } };',
  ],
  [
    'typescript(switch-exhaustiveness-check)',
    'export const f = (a: 1 | 2) => { switch (a) { case 1: return 1; } return 2; };',
  ],
  ['typescript(triple-slash-reference)', '/// <reference path="a" />\nexport {};'],
  [
    'typescript(unbound-method)',
    'export class A { b = 1; f() { return this.b; } } export const g = [new A().f];',
    boundMethods,
  ],
  [
    'typescript(unified-signatures)',
    'export function f(a: 1): void; export function f(a: 2): void; export function f() {}',
  ],
  [
    'typescript(use-unknown-in-catch-callback-variable)',
    'export const f = (p: Promise<1>) => p.catch((a: Error) => a);',
  ],
];

/** What the options of the rules allow. */
const allowed = [
  'export class A { f() { const { a } = this; return a; } a = 1; }',
  'export const f = (_a: number) => { const _b = 1; };',
  'export const f = (a: number) => `${a}b`;',
  'export const f = (g: () => void) => { [1].forEach(() => g()); };',
  'export const f = (a: 1 | 2) => { switch (a) { case 1: return 1; default: return 2; } };',
  'export const f = (g: () => Promise<1>) => g();',
  '// @ts-expect-error The reason is long enough.\nexport const a: 1 = 2;',
  "export type A = typeof import('./a');",
];

/** A file of its own for each text in each folder. */
const nameIn = (file: string, index: number) => file.replace('*', `text-${index}`);
const placesOf = (files: readonly string[]) => [...new Set([...typescript, ...files])];
const found = lintTexts(
  new Map([
    ...violations.flatMap(([, code, files = []], index) =>
      placesOf(files).map((file) => [nameIn(file, index), code] as const),
    ),
    ...allowed.map((code, index) => [nameIn('contract/allowed-*.ts', index), code] as const),
  ]),
);

test.each(violations.map(([rule, code, files = typescript], index) => ({ rule, code, files, index })))(
  '$rule refuses “$code”',
  ({ rule, files, index }) => {
    const refused = placesOf(files).filter((file) => found.get(nameIn(file, index))?.includes(rule));
    expect(refused.sort()).toEqual([...files].sort());
  },
);

test.each(allowed.map((code, index) => ({ code, index })))('no rule refuses “$code”', ({ index }) => {
  expect(found.get(nameIn('contract/allowed-*.ts', index))).toEqual([]);
});

test('each rule of the configuration has a violation', () => {
  const violated = new Set(violations.map(([rule]) => rule));
  expect(rulesOfConfig().filter((rule) => !violated.has(rule))).toEqual([]);
});
