import { readOptions } from './command-line/read-options';
import { demoPartner, runningStack } from './demo/running-stack';

const help = `Prints an access token of the demo partner of the stack that \`npm start\` runs here.

curl … -H "authorization: Bearer $(npm run -s token)"
`;

/** `npm run -s token`: only the token, for use in another command. */
async function token(args: readonly string[]): Promise<string> {
  if (readOptions(args, { help: { type: 'boolean' } }).help) return help;
  return `${await demoPartner(runningStack()).client.accessToken()}\n`;
}

token(process.argv.slice(2)).then(
  (printed) => process.stdout.write(printed),
  (error: unknown) => {
    console.error(`token: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);
