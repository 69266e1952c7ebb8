import { ADDRESS, FARE, LIST, NEW, PARCEL, SCHEMAS, text, TRACKING } from './places.ts'
import type { Step } from '../support.ts'

/** Edits that change nothing on the wire or in the client, by what they do. */
export const equivalentEdits: readonly (readonly [title: string, edit: readonly Step[]])[] = [
  ['an `allOf` with one part', [['http', `${PARCEL}/properties/address`, 'set', { allOf: [ADDRESS] }]]],
  [
    'fields moved into an `allOf`',
    [
      [
        'http',
        `${SCHEMAS}/Address`,
        'set',
        {
          allOf: [
            { type: 'object', required: ['city'], properties: { city: text } },
            { properties: { street: text } },
          ],
        },
      ],
    ],
  ],
  [
    'a nullable type written as alternatives',
    [
      [
        'http',
        `${NEW}/properties/comment`,
        'set',
        { anyOf: [{ type: 'string', maxLength: 200 }, { type: 'null' }] },
      ],
    ],
  ],
  ['a limit that every value fulfills', [['http', `${NEW}/properties/to/minLength`, 'set', 0]]],
  [
    'a message moved to a component',
    [
      [
        'sockets',
        '/components/messages',
        'set',
        {
          ping: { payload: { type: 'object', required: ['type'], properties: { type: { const: 'ping' } } } },
        },
      ],
      ['sockets', `${TRACKING}/messages/ping`, 'set', { $ref: '#/components/messages/ping' }],
    ],
  ],
  [
    'the default style of a parameter written out',
    [
      ['http', `${LIST}/parameters/1/style`, 'set', 'form'],
      ['http', `${LIST}/parameters/1/explode`, 'set', true],
    ],
  ],
  [
    'an alternative named without its path',
    [['http', `${FARE}/discriminator/mapping/size`, 'set', 'Measured']],
  ],
]
