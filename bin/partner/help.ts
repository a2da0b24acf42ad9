/** What `npm run partner -- help` prints. */
export const help = `Onboards and manages partners, on AWS and on this machine.

npm run partner -- <command> [flags]

  onboard        a new client: its id, secret and API key are shown once
                 --organisation NAME | --organisation-id org-…   a new or a registered organisation
                 --client NAME --scopes all|SCOPE,SCOPE
                 [--fleet FILE]   device groups: {"deviceGroups": [{"name", "description", "devices": [{"name"}]}]}
                 --file FILE      several at once: {"organisations": [{"name", "deviceGroups", "clients": [{"name", "scopes"}]}]}
  list           all organisations and their clients
  suspend        --client-id ID | --organisation-id org-…   no access after at most five minutes; with the last
                 active client of an organisation, also for viewers of its shares
  resume         --client-id ID | --organisation-id org-…   restores access
  rotate-secret  --client-id ID                 a second secret beside the first
                 --client-id ID --retire-old    deletes the older of the two
  rotate-key     --client-id ID                 a second API key beside the first
                 --client-id ID --retire-old    deletes the older of the two
  offboard       --client-id ID | --organisation-id org-…   deletes clients and their API keys; with the last
                 client of an organisation also its shares

  --local        the stack that \`npm start\` runs here
  --stack NAME   the CloudFormation stack (default: $STACK_NAME, else DroneMissionApi)
  --json         for scripts
`;
