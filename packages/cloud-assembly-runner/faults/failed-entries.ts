import * as z from 'zod';
import type { AwsAnswer, AwsCall } from '../service';

const request = z.looseObject({ Entries: z.array(z.unknown()) });
const response = z.looseObject({ Entries: z.array(z.unknown()) });

/**
 * Makes a call of PutEvents without some of its entries, which fail in the answer: EventBridge user guide, "Handling
 * failures with PutEvents".
 * @param fails whether the next entry fails
 */
export async function withFailedEntries(
  call: AwsCall,
  fails: () => boolean,
  answer: (call: AwsCall) => Promise<AwsAnswer>,
): Promise<AwsAnswer> {
  const input = request.parse(JSON.parse(call.body.toString()));
  const failed = input.Entries.map(fails);
  const made = input.Entries.filter((_, index) => failed[index] === false);
  if (made.length === failed.length) return answer(call);
  const nothing: AwsAnswer = { status: 200, headers: {}, body: '{"Entries":[]}' };
  const body = Buffer.from(JSON.stringify({ ...input, Entries: made }));
  const answered = made.length === 0 ? nothing : await answer({ ...call, body });
  if (answered.status !== 200) return answered;
  const { Entries: results, ...rest } = response.parse(JSON.parse(String(answered.body)));
  const refused = { ErrorCode: 'InternalFailure', ErrorMessage: 'Internal failure' };
  const Entries = failed.map((isFailed) => (isFailed ? refused : results.shift()));
  const FailedEntryCount = Entries.filter((one) => z.object({ ErrorCode: z.string() }).safeParse(one).success).length;
  return { ...answered, body: JSON.stringify({ ...rest, FailedEntryCount, Entries }) };
}
