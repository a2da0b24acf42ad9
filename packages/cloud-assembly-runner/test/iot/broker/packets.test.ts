import * as fc from 'fast-check';
import { createPacketParser } from '../../../iot/broker/packet-parser';

/** A packet with a type and a body length in bytes (MQTT 3.1.1, section 2.2.3 "Remaining Length"). */
function packet(type: number, bodyLength: number): Buffer {
  const length: number[] = [];
  let rest = bodyLength;
  do {
    length.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.from([type << 4, ...length]), Buffer.alloc(bodyLength, 0xff)]);
}

describe('The packet parser', () => {
  test('returns the packet types of a stream in order, for any chunks', () => {
    const packets = fc.array(fc.tuple(fc.integer({ min: 1, max: 15 }), fc.integer({ min: 0, max: 500 })), {
      maxLength: 10,
    });
    fc.assert(
      fc.property(packets, fc.integer({ min: 1, max: 700 }), (wanted, size) => {
        const stream = Buffer.concat(wanted.map(([type, length]) => packet(type, length)));
        const meter = createPacketParser(500);
        const types: number[] = [];
        const passed: Buffer[] = [];
        for (let at = 0; at < stream.length; at += size)
          for (const { type, bytes, ends } of meter(stream.subarray(at, at + size)) ?? []) {
            passed.push(bytes);
            if (ends) types.push(type);
          }
        expect(types).toEqual(wanted.map(([type]) => type));
        expect(Buffer.concat(passed)).toEqual(stream);
      }),
    );
  });

  test('refuses a packet when its length exceeds the limit', () => {
    const whole = packet(3, 300);
    expect(createPacketParser(300)(whole)).toEqual([{ type: 3, bytes: whole, ends: true }]);
    expect(createPacketParser(300)(packet(3, 301).subarray(0, 3))).toBeUndefined();
    expect(createPacketParser(300)(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]))).toBeUndefined();
  });

  test('refuses a length of more than four bytes', () => {
    expect(createPacketParser(300)(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x00]))).toBeUndefined();
  });
});
