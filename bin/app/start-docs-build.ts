import { startDocsBuild } from '../../lib/docs/docs-build';

// The CDK sets it; an empty list of stacks to bundle leaves the site for later (lib/docs/built-files.ts).
const context = JSON.parse(process.env['CDK_CONTEXT_JSON'] ?? '{}') as {
  'aws:cdk:bundling-stacks'?: readonly string[];
};
if (context['aws:cdk:bundling-stacks']?.length !== 0) startDocsBuild();
