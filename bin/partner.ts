import { processTerminal } from './command-line/terminal';
import { run } from './partner/run';

// The SDK's warning about old Node.js versions would clutter the output.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

void run(process.argv.slice(2), processTerminal()).then((exitCode) => {
  process.exitCode = exitCode;
});
