/** What CloudFormation refuses before it makes anything: user guide, "Understand CloudFormation quotas". */
import type { Template } from './template';

const MOST_RESOURCES = 500;
const MOST_OUTPUTS = 200;
const MOST_PARAMETERS = 200;
const MOST_MAPPINGS = 200;
/** Of a template that lies in S3, as the CDK puts it there. */
const MAX_TEMPLATE_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_BYTES = 1024;

/** Throws for a template that is too large for one stack, and says in what. `bytes` is its length as a file. */
export function refuseOverLimits(template: Template, bytes: number): void {
  const counts: readonly (readonly [what: string, number: number, most: number])[] = [
    ['resources', Object.keys(template.Resources).length, MOST_RESOURCES],
    ['outputs', Object.keys(template.Outputs).length, MOST_OUTPUTS],
    ['parameters', Object.keys(template.Parameters).length, MOST_PARAMETERS],
    ['mappings', Object.keys(template.Mappings).length, MOST_MAPPINGS],
    ['bytes of description', Buffer.byteLength(template.Description), MAX_DESCRIPTION_BYTES],
    ['bytes', bytes, MAX_TEMPLATE_BYTES],
  ];
  const over = counts.find(([, number, most]) => number > most);
  if (over) throw new Error(`The template has ${over[1]} ${over[0]}, CloudFormation takes ${over[2]}`);
  const unfit = Object.keys(template.Resources).find((id) => !/^[A-Za-z0-9]{1,255}$/.test(id));
  if (unfit !== undefined) throw new Error(`${unfit} is no logical id: CloudFormation takes letters and digits`);
}
