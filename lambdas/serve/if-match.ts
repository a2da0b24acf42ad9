import { invalid } from '../../domain/values/refusal';
import { headerList, type Step } from './request';

/**
 * Step of an endpoint that changes a resource with a version: reads `If-Match`.
 * @throws Refusal `invalid_request` for what is no entity tag
 */
export const ifMatch: Step = (exchange, event, next) => {
  const given = headerList(event, 'If-Match');
  const versions = given === undefined ? undefined : readVersions(given);
  if (versions) exchange.ifVersions = versions;
  return next();
};

/** Matches no resource: versions begin with 1. */
const NO_VERSION = 0;

/** An entity tag (RFC 9110 section 8.8.3). */
const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;
/** No header can have it, so it may stand for an entity tag in the list. */
const PLACEHOLDER = '\0';
/** Most of the operands of one condition (DynamoDB developer guide, "Comparison operator and function reference"). */
const MAX_TAGS = 100;

/**
 * The versions in `If-Match`: ETags of this service are strong and hold the version. A weak one, or one that this
 * service did not issue, matches no version (RFC 9110 section 13.1.1); the job may still not exist.
 * @returns undefined for `*`, which matches any
 * @throws Refusal `invalid_request` for what is no entity tag
 */
function readVersions(given: string): readonly number[] | undefined {
  if (given === '*') return undefined;
  const list = given
    .replaceAll(ENTITY_TAG, PLACEHOLDER)
    .split(',')
    .map((each) => each.trim());
  const listed = list.filter((each) => each !== '');
  if (listed.length === 0 || listed.some((each) => each !== PLACEHOLDER))
    throw invalid('If-Match', 'must be entity tags, such as "3", or *');
  if (listed.length > MAX_TAGS) throw invalid('If-Match', `must have at most ${MAX_TAGS} entity tags`);
  const strong = [...given.matchAll(ENTITY_TAG)].filter(([, weak]) => weak === undefined);
  const versions = strong.flatMap(([, , version = '']) => (/^\d{1,15}$/.test(version) ? [Number(version)] : []));
  return versions.length > 0 ? versions : [NO_VERSION];
}
