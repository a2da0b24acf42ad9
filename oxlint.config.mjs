import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'oxlint';

/** The package that runs the template may import itself, Node.js and its declared dependencies. */
const runner = JSON.parse(
  readFileSync(new URL('packages/cloud-assembly-runner/package.json', import.meta.url), 'utf8'),
);
const runnerPackages = Object.keys({ ...runner.dependencies, ...runner.optionalDependencies });
/** So does the client for partners, in clients/typescript/. */
const client = JSON.parse(readFileSync(new URL('clients/typescript/package.json', import.meta.url), 'utf8'));

/** The rooms, in one order on every floor: on its own floor a room imports only those to its left. */
const rooms = [
  'access',
  'missions',
  'jobs',
  'telemetry',
  'fleet',
  'dispatch',
  'commands',
  'shares',
  'events',
  'channels',
  'platform',
];
/**
 * The floors: which are below, or which folders of these, or which for types only; on which grounds all rooms stand,
 * grounds that don't import each other, the packages, and the roofs, which know all rooms; `.` is the files of the
 * floor itself.
 */
const floors = {
  domain: { grounds: ['values'], packages: ['zod', 'geographiclib-geodesic'] },
  contract: {
    below: ['domain'],
    grounds: ['terms'],
    roofs: ['.', 'documents'],
    packages: ['fastest-levenshtein', 'zod'],
  },
  data: {
    below: ['domain'],
    grounds: ['store'],
    packages: ['zod', 'nanoid', 'ulid', '@aws-sdk/*', '@smithy/*'],
    node: true,
  },
  lambdas: {
    below: ['contract', 'domain', 'data'],
    grounds: ['runtime', 'serve', 'sockets'],
    apart: ['serve', 'sockets'],
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
  },
  lib: {
    below: ['contract'],
    values: ['domain/values'],
    types: ['domain'],
    grounds: ['foundation', 'functions'],
    rooms: ['rest', 'access', 'missions', 'channels', 'platform', 'shares', 'docs', 'observability'],
    roofs: ['stack'],
    packages: ['aws-cdk-lib', 'constructs', 'esbuild', 'zod'],
    node: true,
  },
};
/** The folders of a floor, in the order in which they may be imported. */
const foldersOf = (floor) => {
  const { grounds, rooms: own = rooms, roofs = [] } = floors[floor];
  return [...grounds, ...own, ...roofs].map((folder) => (folder === '.' ? floor : `${floor}/${folder}`));
};
const rowsOf = (floor) => {
  const { below = [], values = [], types = [], roofs = [], apart = [], packages, node } = floors[floor];
  const own = foldersOf(floor);
  const lower = [...below.flatMap(foldersOf), ...values];
  const areApart = (folder, other) => [folder, other].every((one) => apart.some((name) => one === `${floor}/${name}`));
  return own.map((folder, index) => [
    folder,
    {
      folders: [...lower, ...(index < own.length - roofs.length ? own.slice(0, index) : own)].filter(
        (other) => !areApart(folder, other),
      ),
      types: types.flatMap(foldersOf),
      packages,
      node,
      filesOnly: folder === floor,
    },
  ]);
};

/**
 * The import rules, one row per folder: which other folders it may import, which only for types, and which packages. All
 * others are forbidden; `node` allows the modules of Node.js.
 */
const arrows = {
  ...Object.fromEntries(Object.keys(floors).flatMap(rowsOf)),
  bin: {
    folders: [...['lib', 'contract', 'domain', 'data'].flatMap(foldersOf), 'clients/typescript', 'docs'],
    packages: [
      'aws-cdk-lib',
      'constructs',
      'zod',
      runner.name,
      client.name,
      'mqtt',
      'oxfmt',
      'ws',
      'undici',
      '@aws-sdk/*',
    ],
    node: true,
  },
  'packages/simulator': {
    folders: ['contract', 'domain'].flatMap(foldersOf),
    packages: ['zod', '@aws-sdk/*', 'aws-lambda'],
    node: true,
  },
  'packages/cloud-assembly-runner/test': {
    folders: ['packages/cloud-assembly-runner'],
    packages: [...runnerPackages, ...Object.keys(runner.devDependencies)],
    node: true,
  },
  'packages/cloud-assembly-runner': { packages: runnerPackages, node: true },
  docs: { packages: ['fastify', 'openapi-to-postmanv2', 'vitepress', 'vue', '@scalar/*'], node: true },
  'clients/typescript/test': {
    folders: ['clients/typescript'],
    packages: Object.keys(client.dependencies),
    node: true,
  },
  'clients/typescript': { packages: [...Object.keys(client.dependencies), 'openapi-typescript'], node: true },
  viewer: {
    folders: ['contract', 'domain'].flatMap(foldersOf),
    packages: ['hls.js', 'leaflet', 'mqtt', 'uplot', 'zod'],
  },
};
/** Folders that may import anything. */
const free = ['packages/platform-kit', 'test'];

/** For each folder what its files may import. */
const folders = Object.fromEntries([
  ...Object.entries(arrows).map(([folder, { folders = [], types = [], packages, node = false, filesOnly = false }]) => [
    folder,
    { folders, types, packages, node, filesOnly },
  ]),
  ...free.map((folder) => [folder, true]),
]);

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

/** Syntax that no file has. */
const syntax = [
  // They hide what is declared twice from the compiler, and excess properties. Conditional spreads say something.
  {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression',
    message: 'Write the properties of this literal into the object itself.',
  },
  {
    selector: 'ArrayExpression > SpreadElement > ArrayExpression',
    message: 'Write the elements of this literal into the array itself.',
  },
  // typescript/no-this-alias sees no JavaScript.
  ...['VariableDeclarator[id.type="Identifier"]', 'AssignmentExpression[left.type="Identifier"]'].map((assigned) => ({
    selector: `${assigned} > ThisExpression`,
    message: 'Write an arrow function, which keeps this.',
  })),
];

/** What reads the clock of the machine. */
const clockReads = [
  'NewExpression[callee.name="Date"][arguments.length=0]',
  'MemberExpression[object.name="Date"][property.name="now"]',
  'MemberExpression[object.name="performance"][property.name="now"]',
].map((selector) => ({ selector, message: 'There is no clock here: take the time as a parameter.' }));

/** Texts and examples of the contract, which a function would load at each start. */
const textsOfDocuments = {
  regex: String.raw`\.(texts|examples)(\.ts)?$`,
  message: 'Only contract/documents/ reads texts and examples; so do texts and examples.',
};

/** Rules that need types. */
const typed = {
  'typescript/await-thenable': 'error',
  'typescript/no-array-delete': 'error',
  'typescript/no-base-to-string': 'error',
  'typescript/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
  'typescript/no-deprecated': 'error',
  'typescript/no-duplicate-type-constituents': 'error',
  'typescript/no-floating-promises': 'error',
  'typescript/no-for-in-array': 'error',
  'typescript/no-generated-empty-object-type': 'error',
  'typescript/no-implied-eval': 'error',
  'typescript/no-meaningless-void-operator': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/no-misused-spread': 'error',
  'typescript/no-mixed-enums': 'error',
  'typescript/no-redundant-type-constituents': 'error',
  'typescript/no-unnecessary-boolean-literal-compare': 'error',
  'typescript/no-unnecessary-condition': 'error',
  'typescript/no-unnecessary-template-expression': 'error',
  'typescript/no-unnecessary-type-arguments': 'error',
  'typescript/no-unnecessary-type-assertion': 'error',
  'typescript/no-unnecessary-type-conversion': 'error',
  'typescript/no-unnecessary-type-parameters': 'error',
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-enum-assignment': 'error',
  'typescript/no-unsafe-enum-comparison': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  'typescript/no-unsafe-unary-minus': 'error',
  'typescript/no-useless-default-assignment': 'error',
  'typescript/only-throw-error': 'error',
  'typescript/prefer-promise-reject-errors': 'error',
  'typescript/prefer-reduce-type-parameter': 'error',
  'typescript/prefer-return-this-type': 'error',
  'typescript/related-getter-setter-pairs': 'error',
  'typescript/require-await': 'error',
  'typescript/restrict-plus-operands': [
    'error',
    { allowAny: false, allowBoolean: false, allowNullish: false, allowNumberAndString: false, allowRegExp: false },
  ],
  'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
  'typescript/return-await': ['error', 'error-handling-correctness-only'],
  'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  'typescript/unbound-method': 'error',
  'typescript/use-unknown-in-catch-callback-variable': 'error',
};

const untyped = {
  'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
  'no-array-constructor': 'error',
  'typescript/no-duplicate-enum-values': 'error',
  'typescript/no-dynamic-delete': 'error',
  'typescript/no-empty-object-type': 'error',
  'typescript/no-explicit-any': 'error',
  'typescript/no-extra-non-null-assertion': 'error',
  'typescript/no-extraneous-class': 'error',
  'typescript/no-invalid-void-type': 'error',
  'typescript/no-misused-new': 'error',
  'typescript/no-namespace': 'error',
  'typescript/no-non-null-asserted-nullish-coalescing': 'error',
  'typescript/no-non-null-asserted-optional-chain': 'error',
  'typescript/no-non-null-assertion': 'error',
  'typescript/no-require-imports': 'error',
  'typescript/no-unnecessary-type-constraint': 'error',
  'typescript/no-unsafe-declaration-merging': 'error',
  'typescript/no-unsafe-function-type': 'error',
  'no-unused-expressions': 'error',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  'no-useless-constructor': 'error',
  'typescript/no-wrapper-object-types': 'error',
  'typescript/prefer-as-const': 'error',
  'typescript/prefer-literal-enum-member': 'error',
  'typescript/prefer-namespace-keyword': 'error',
  'typescript/triple-slash-reference': 'error',
  'typescript/unified-signatures': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'prefer-rest-params': 'error',
  'prefer-spread': 'error',
};

const off = (rules) => Object.fromEntries(Object.keys(rules).map((rule) => [rule, 'off']));

export default defineConfig({
  plugins: ['typescript'],
  jsPlugins: [
    { name: 'eslint-js', specifier: fileURLToPath(import.meta.resolve('oxlint-plugin-eslint')) },
    { name: 'imports', specifier: fileURLToPath(import.meta.resolve('./test/lint/import-arrows.mjs')) },
  ],
  categories: { correctness: 'off' },
  options: { typeAware: true, denyWarnings: true },
  ignorePatterns: [
    'cdk.out/',
    'docs.out/',
    'documents.out/',
    'docs/site/.vitepress/.temp/',
    'docs/site/.vitepress/cache/',
    '.local/',
    'coverage/',
    'clients/typescript/dist/',
    'packages/platform-kit/dist/',
    'clients/typescript/src/openapi.ts',
    'clients/typescript/src/messages.ts',
    'clients/typescript/src/schemas.ts',
  ],
  rules: { ...untyped, ...typed, 'eslint-js/no-restricted-syntax': ['error', ...syntax] },
  overrides: [
    // Methods of object literals do not use this.
    { files: ['packages/**', 'test/**'], rules: { 'typescript/unbound-method': 'off' } },
    { files: ['**/*.{js,mjs}'], rules: off(typed) },
    { files: ['*/**/*.{ts,mts,cts,tsx}'], rules: { 'imports/arrows': ['error', { folders }] } },
    // The runner is imported by its name, so only its exports. Elsewhere the rows above forbid its files.
    {
      files: ['test/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                regex: String.raw`^(\.\./)+packages/cloud-assembly-runner(/|$)`,
                message: `Import from ${runner.name}.`,
              },
            ],
          },
        ],
      },
    },
    // A function is what an invocation enters, and nothing that another file calls.
    {
      files: ['lambdas/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              { regex: String.raw`\.lambda(\.ts)?$`, message: 'Move what both need to a file beside it.' },
              textsOfDocuments,
            ],
          },
        ],
      },
    },
    {
      files: ['{bin,contract,data,docs,domain,lib,packages/simulator,viewer}/**'],
      excludeFiles: ['contract/documents/**', '**/*.{texts,examples}.ts'],
      rules: { 'no-restricted-imports': ['error', { patterns: [textsOfDocuments] }] },
    },
    // One function reads the environment; the other files read only variables that Lambda sets.
    {
      files: ['{domain,contract,data,lambdas,lib,packages/simulator,viewer}/**'],
      excludeFiles: [
        'data/store/environment.ts',
        'packages/simulator/settings.ts',
        'lambdas/runtime/logger.ts',
        'lib/functions/bundled/environment-credentials.ts',
      ],
      rules: { 'no-restricted-properties': ['error', { object: 'process', property: 'env' }] },
    },
    // Clients of the SDK are configured in one place.
    {
      files: ['data/**'],
      rules: {
        'eslint-js/no-restricted-syntax': [
          'error',
          ...syntax,
          {
            selector: 'NewExpression[callee.name=/Client$/]:not(:has(CallExpression[callee.name="clientConfig"]))',
            message: 'Configure it with clientConfig() of data/store/client-config.ts.',
          },
        ],
      },
    },
    // Titles of tests are in one style.
    {
      files: ['test/**', 'packages/cloud-assembly-runner/test/**', 'clients/typescript/test/**'],
      rules: {
        'eslint-js/no-restricted-syntax': ['error', ...syntax, ...titles],
        'no-restricted-globals': ['error', { name: 'it', message: 'Use test.' }],
      },
    },
    // The viewer has one clock.
    {
      files: ['viewer/**'],
      excludeFiles: ['viewer/clock.ts'],
      rules: { 'eslint-js/no-restricted-syntax': ['error', ...syntax, ...clockReads] },
    },
    // The domain has no clock.
    { files: ['domain/**'], rules: { 'eslint-js/no-restricted-syntax': ['error', ...syntax, ...clockReads] } },
  ],
});
