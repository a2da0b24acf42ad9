#!/usr/bin/env node
import { join } from 'node:path';
import { runCommandLine } from './conform';

// The SDK warns of Node.js versions that Lambda does not use.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

/** `platform-conformance`, in the package: `build.ts` has synthesised the assemblies. */
runCommandLine({
  usage: 'platform-conformance [options]',
  python: () => '"${PYTHON:-python3}"',
  assembly: (_folder, withFleet) => join(__dirname, 'assemblies', withFleet ? 'fleet' : 'bus'),
});
