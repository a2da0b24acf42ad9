import { run } from './partner/run';

// The advice of the AWS SDK on old versions of Node would stand among the lines that matter.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

void run(process.argv.slice(2), {
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
}).then((exitCode) => {
  process.exitCode = exitCode;
});
