import { IoTClient } from '@aws-sdk/client-iot';
import { processTerminal } from './command-line/terminal';
import { run } from './mqtt-domains/run';

// The SDK's warning about old Node.js versions would clutter the output.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

void run(
  process.argv.slice(2),
  processTerminal(),
  (region) => new IoTClient(region === undefined ? {} : { region }),
).then((exitCode) => {
  process.exitCode = exitCode;
});
