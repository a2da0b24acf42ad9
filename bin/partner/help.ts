/** What `npm run partner -- help` prints. */
export const help = `Takes partners in, and out. The same on AWS and on this machine.

npm run partner -- <command> [flags]

  onboard        a new client: its id, secret and API key are shown once
                 --organisation NAME | --organisation-id org-…   a new organisation or one that is in already
                 --client NAME --scopes all|SCOPE,SCOPE
                 [--fleet FILE]   device groups: {"deviceGroups": [{"name", "description", "devices": [{"name"}]}]}
                 --file FILE      many at once: {"organisations": [{"name", "deviceGroups", "clients": [{"name", "scopes"}]}]}
  list           all organisations and their clients
  suspend        --client-id ID | --organisation-id org-…   shut out within five minutes; with the last active
                 client of an organisation, also who watches what it has shared
  resume         --client-id ID | --organisation-id org-…   let in again
  rotate-secret  --client-id ID                 a second secret beside the first
                 --client-id ID --retire-old    ends the older of the two
  rotate-key     --client-id ID                 a new API key in the place of the old one
  offboard       --client-id ID | --organisation-id org-…   deletes clients and their API keys; with the
                 last client of an organisation its shares

  --local        the stack that \`npm start\` runs here
  --stack NAME   the CloudFormation stack (default: $STACK_NAME, else DroneMissionApi)
  --json         for scripts
`;
