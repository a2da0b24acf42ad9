import { processTerminal } from './command-line/terminal';

// The SDK's warning about old Node.js versions would clutter the output. Its clients are created when they are imported.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

void import('./restore-items/run')
  .then(({ run }) => run(process.argv.slice(2), processTerminal()))
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
