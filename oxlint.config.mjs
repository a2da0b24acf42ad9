import boundaries from 'eslint-plugin-boundaries';
import { defineConfig, globalIgnores } from 'eslint/config';
import { defaultConditionNames } from 'eslint-import-resolver-typescript';
import { readFileSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/** The package that runs the template may import itself, Node.js and its declared dependencies. */
const runner = JSON.parse(
  readFileSync(new URL('packages/cloud-assembly-runner/package.json', import.meta.url), 'utf8'),
);
const runnerPackages = Object.keys({ ...runner.dependencies, ...runner.optionalDependencies });
/** So does the client for partners, in clients/typescript/. */
const client = JSON.parse(readFileSync(new URL('clients/typescript/package.json', import.meta.url), 'utf8'));
const andBelow = (names) => names.flatMap((name) => [name, `${name}/**`]);

const functions = {
  folders: ['contract', 'domain', 'data'],
  packages: [
    'zod',
    '@middy/*',
    'aws-jwt-verify',
    'aws-lambda',
    'canonicalize',
    'csv-stringify',
    'jsonc-parser',
    'negotiator',
    'saxes',
    'xast-util-to-xml',
    'xastscript',
    'yauzl',
  ],
  node: true,
};
/** The rooms of `lambdas/`, and which others each may import; what all share stands in `lambdas/` itself. */
const shared = {
  auth: [],
  serve: ['auth'],
  feed: [],
  dispatch: [],
  missions: [],
  delivery: ['auth'],
  telemetry: ['delivery'],
  platform: ['delivery', 'telemetry'],
  sockets: ['auth', 'delivery', 'telemetry'],
};
const sharedFolders = Object.keys(shared).map((room) => `lambdas/${room}`);
const rooms = Object.fromEntries(
  Object.entries(shared).map(([room, others]) => [
    `lambdas/${room}`,
    { ...functions, folders: [...functions.folders, 'lambdas', ...others.map((other) => `lambdas/${other}`)] },
  ]),
);
/** Folders with a file for each function: they import any room, and no other function. */
const entries = ['authorizer', 'bus', 'http', 'mqtt', 'queue', 'schedule', 'socket', 'stream'].map(
  (entry) => `lambdas/${entry}`,
);

/**
 * The import rules, one row per folder: which other folders it may import, which only for types, and which packages. All
 * others are forbidden; `node` allows the modules of Node.js.
 */
const arrows = {
  domain: { packages: ['zod', 'geographiclib-geodesic'] },
  contract: { folders: ['domain'], packages: ['fastest-levenshtein', 'zod'] },
  data: { folders: ['domain'], packages: ['zod', 'nanoid', 'ulid', '@aws-sdk/*', '@smithy/*'], node: true },
  ...rooms,
  entries: { ...functions, from: entries, folders: [...functions.folders, 'lambdas', ...sharedFolders] },
  lambdas: functions,
  lib: {
    folders: ['contract'],
    types: ['domain'],
    packages: ['aws-cdk-lib', 'constructs', 'esbuild', 'zod'],
    node: true,
  },
  bin: {
    folders: ['lib', 'contract', 'domain', 'data', 'packages/cloud-assembly-runner', 'clients/typescript'],
    packages: [
      'aws-cdk-lib',
      'constructs',
      'zod',
      'mqtt',
      'openapi-to-postmanv2',
      'prettier',
      'ws',
      'undici',
      '@aws-sdk/*',
    ],
    node: true,
  },
  simulator: { folders: ['contract'], packages: ['zod', '@aws-sdk/*', 'aws-lambda'], node: true },
  'packages/cloud-assembly-runner/test': {
    folders: ['packages/cloud-assembly-runner'],
    packages: andBelow([...runnerPackages, ...Object.keys(runner.devDependencies)]),
    node: true,
  },
  'packages/cloud-assembly-runner': { packages: andBelow(runnerPackages), node: true },
  docs: { packages: ['fastify', 'vitepress', 'vue', '@scalar/*'], node: true },
  'clients/typescript/test': {
    folders: ['clients/typescript'],
    packages: andBelow(Object.keys(client.dependencies)),
    node: true,
  },
  'clients/typescript': { packages: andBelow([...Object.keys(client.dependencies), 'openapi-typescript']), node: true },
  viewer: { folders: ['contract', 'domain'], packages: ['!(aws-cdk-lib|constructs)'] },
};
/** Folders that may import anything. */
const free = ['bench', 'conformance', 'test'];

/** Few policies of many folders: the plugin looks at all of them for each import. */
const policies = [
  ...Object.entries(arrows).map(([folder, { from = [folder], folders = [], types = [], packages, node = false }]) => ({
    from: { element: { types: { anyOf: from } } },
    allow: [
      { to: { module: { origin: 'external', source: packages } } },
      ...(folders.length > 0 ? [{ to: { element: { types: { anyOf: folders } } } }] : []),
      ...(types.length > 0 ? [{ to: { element: { types: { anyOf: types } } }, dependency: { kind: 'type' } }] : []),
      ...(node ? [{ to: { module: { origin: 'core' } } }] : []),
    ],
  })),
  { from: { element: { types: { anyOf: free } } }, allow: { to: { module: { origin: '*' } } } },
];

const message = 'The import rules forbid this import: see eslint.config.mjs and CONTRIBUTING.md.';

/** Capitalised words that a title may begin with. */
const names = [
  'AWS',
  'Allow',
  'Chromium',
  'CloudFormation',
  'CloudFront',
  'CloudWatch',
  'Cognito',
  'Deny',
  'DynamoDB',
  'EventBridge',
  'JavaScript',
  'Kinesis',
  'Lambda',
  'MiniStack',
  'Node',
  'Scheduler',
  'Unicode',
  'WebSocket',
].join('|');
const titleOf = (call) => [
  `CallExpression[callee.name=/^(${call})$/] > Literal.arguments:first-child`,
  `CallExpression[callee.callee.object.name=/^(${call})$/] > Literal.arguments:first-child`,
];
const titles = [
  ...titleOf('test|describe').map((selector) => ({
    selector: `${selector}[value=/[^.]\\.$/]`,
    message: 'A title ends without a full stop.',
  })),
  ...titleOf('test').map((selector) => ({
    selector: `${selector}[value=/^(?!(${names})\\b)[A-Z][a-z’']*,?( |$)/]`,
    message: 'The title of a test begins in lower case: it continues its describe, or is a clause.',
  })),
];

/** They hide what is declared twice from the compiler, and excess properties. Conditional spreads say something. */
const spreads = [
  {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression',
    message: 'Write the properties of this literal into the object itself.',
  },
  {
    selector: 'ArrayExpression > SpreadElement > ArrayExpression',
    message: 'Write the elements of this literal into the array itself.',
  },
];

/** Reads the clock of the machine. */
const ownTime = [
  'NewExpression[callee.name="Date"][arguments.length=0]',
  'MemberExpression[object.name="Date"][property.name="now"]',
  'MemberExpression[object.name="performance"][property.name="now"]',
];

export default defineConfig(
  globalIgnores([
    'cdk.out/',
    'docs.out/',
    'docs/site/.vitepress/{.temp,cache}/',
    '.local/',
    'coverage/',
    'clients/typescript/dist/',
    'clients/typescript/src/{openapi,messages}.ts',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true } },
  tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-syntax': ['error', ...spreads],
    },
  },
  {
    name: 'Methods of object literals do not use this',
    files: ['packages/**', 'test/**'],
    rules: { '@typescript-eslint/unbound-method': 'off' },
  },
  { files: ['**/*.{js,mjs}'], extends: [tseslint.configs.disableTypeChecked] },
  {
    name: 'Import rules',
    files: ['*/**/*.ts'],
    plugins: { boundaries },
    settings: {
      'import/resolver': { typescript: { conditionNames: ['drone-mission-source', ...defaultConditionNames] } },
      'boundaries/root-path': import.meta.dirname,
      'boundaries/elements': [...Object.entries(arrows).flatMap(([folder, { from = [folder] }]) => from), ...free].map(
        (type) => ({
          type,
          pattern: type,
          partialMatch: false,
        }),
      ),
    },
    rules: {
      'boundaries/dependencies': [
        'error',
        { default: 'disallow', checkAllOrigins: true, checkUnknownLocals: true, policies, message },
      ],
      'boundaries/no-unknown-files': 'error',
    },
  },
  {
    name: 'The runner is imported by its name, so only its exports',
    files: ['bin/**', 'bench/**', 'test/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: String.raw`^(\.\./)+packages(/|$)`, message: `Import from ${runner.name}.` }] },
      ],
    },
  },
  {
    name: 'One function reads the environment; the other files read only variables that Lambda sets',
    files: ['{domain,contract,data,lambdas,lib,simulator,viewer}/**'],
    ignores: [
      'data/store/environment.ts',
      'simulator/setting.ts',
      'lambdas/logger.ts',
      'lib/functions/bundled/environment-credentials.ts',
    ],
    rules: { 'no-restricted-properties': ['error', { object: 'process', property: 'env' }] },
  },
  {
    name: 'Clients of the SDK are configured in one place',
    files: ['data/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...spreads,
        {
          selector: 'NewExpression[callee.name=/Client$/]:not(:has(CallExpression[callee.name="clientConfig"]))',
          message: 'Configure it with clientConfig() of data/store/client-config.ts.',
        },
      ],
    },
  },
  {
    name: 'Titles of tests are in one style',
    files: ['test/**', 'packages/cloud-assembly-runner/test/**', 'clients/typescript/test/**'],
    rules: {
      'no-restricted-syntax': ['error', ...spreads, ...titles],
      'no-restricted-globals': ['error', { name: 'it', message: 'Use test.' }],
    },
  },
  {
    name: 'The viewer has one clock',
    files: ['viewer/**'],
    ignores: ['viewer/elapsed-time.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...spreads, ...ownTime],
    },
  },
  {
    name: 'The domain has no clock',
    files: ['domain/**'],
    rules: {
      'no-restricted-syntax': ['error', ...spreads, ...ownTime],
    },
  },
);
