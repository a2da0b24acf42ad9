import { commonOptions } from '../program/common-options';

/** What `npm run partner -- help` prints; `command-help.ts` has the commands' own. */
export const overview = `Onboards and manages partners, on AWS and on this machine.

npm run partner -- <command> [options]
npm run partner -- <command> --help     its options, with an example

  onboard                   creates a client of a new or registered organisation
  list                      all organisations and their clients
  suspend                   takes access away from a client or an organisation
  resume                    gives it back
  contain                   ends all access of a leaked client, at once
  rotate-secret             adds a second secret; --retire-old deletes the older
  rotate-key                the same for the API key
  offboard                  deletes clients for good

${commonOptions}`;
