import { listOrganisations } from '../../data/access/organisations';
import { organisationId } from '../../domain/values/id';
import type { Partner } from '../../domain/access/partner';
import { Failure } from '../command-line/failure';
import { printable } from '../command-line/printable';
import type { Selection } from './selected-clients';
import { table } from '../command-line/table';

/**
 * Shows a person what would be deleted, and asks for the name of it, or y.
 * @param leaving clients of one organisation
 * @throws Failure for any other answer
 */
export async function confirmOffboarding(
  leaving: readonly Partner[],
  selection: Selection,
  ask: (question: string) => Promise<string>,
): Promise<void> {
  const [first] = leaving;
  if (!first) return;
  const { organisations, partners } = await listOrganisations();
  const { organisation } = first;
  const registered = organisations.find((each) => each.organisation === organisation)?.name ?? '';
  const staying = partners.filter((each) => each.organisation === organisation).length - leaving.length;
  const name = 'clientId' in selection ? first.name : registered;
  const answer = await ask(
    [
      `This deletes for good, of ${printable(registered)} (${organisationId(organisation)}):`,
      table(leaving.map((client) => [`  ${client.clientId}`, client.name])),
      ...(staying > 0 ? [] : ['  all shares, since no client is left']),
      `Type ${printable(name)} or y to go on: `,
    ].join('\n'),
  );
  if (![name, 'y', 'yes'].includes(answer.trim())) throw new Failure('nothing was deleted');
}
