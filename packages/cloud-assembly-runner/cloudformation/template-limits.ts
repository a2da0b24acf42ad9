/** Limits that CloudFormation checks before it creates anything: user guide, "Understand CloudFormation quotas". */

/** The parts of a template that have quotas. */
interface Sections {
  readonly Description: string;
  readonly Resources: object;
  readonly Outputs: object;
  readonly Parameters: object;
  readonly Mappings: object;
}

const MAX_RESOURCES = 500;
const MAX_OUTPUTS = 200;
const MAX_PARAMETERS = 200;
const MAX_MAPPINGS = 200;
/** Of a template in S3, where the CDK uploads it. */
const MAX_TEMPLATE_BYTES = 1024 * 1024;
const MAX_DESCRIPTION_BYTES = 1024;

/**
 * Checks a template against CloudFormation's quotas.
 * @param bytes size of the template file
 * @throws Error naming the exceeded quota
 */
export function checkTemplateLimits(template: Sections, bytes: number): void {
  const counts: readonly (readonly [what: string, number: number, most: number])[] = [
    ['resources', Object.keys(template.Resources).length, MAX_RESOURCES],
    ['outputs', Object.keys(template.Outputs).length, MAX_OUTPUTS],
    ['parameters', Object.keys(template.Parameters).length, MAX_PARAMETERS],
    ['mappings', Object.keys(template.Mappings).length, MAX_MAPPINGS],
    ['bytes of description', Buffer.byteLength(template.Description), MAX_DESCRIPTION_BYTES],
    ['bytes', bytes, MAX_TEMPLATE_BYTES],
  ];
  const exceeded = counts.find(([, number, most]) => number > most);
  if (exceeded) throw new Error(`The template has ${exceeded[1]} ${exceeded[0]}, CloudFormation allows ${exceeded[2]}`);
  const invalidId = Object.keys(template.Resources).find((id) => !/^[A-Za-z0-9]{1,255}$/.test(id));
  if (invalidId !== undefined)
    throw new Error(`${invalidId} is not a valid logical id: CloudFormation allows letters and digits`);
}
