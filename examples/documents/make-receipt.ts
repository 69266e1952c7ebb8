import { crc32, deflateSync } from 'node:zlib'

const LINES = [
  'HARBOUR CAFE',
  '',
  'RECEIPT NUMBER: 0417',
  'DATE: 2026-03-02',
  '',
  'COFFEE    2.80',
  'SOUP      6.40',
  '',
  'TOTAL: 9.20',
] as const

/** Each character is three by five dots. Its five octal digits are the rows; in each row, bit 4 is the left dot. */
const GLYPHS = new Map(
  [
    'A 25755, B 65656, C 34443, D 65556, E 74647, F 74644, G 34553, H 55755, I 72227',
    'J 11152, K 55655, L 44447, M 57755, N 65555, O 25552, P 65644, Q 25573, R 65655',
    'S 34216, T 72222, U 55557, V 55552, W 55775, X 55255, Y 55222, Z 71247, 0 75557',
    '1 26227, 2 71747, 3 71717, 4 55711, 5 74717, 6 74757, 7 71122, 8 75757, 9 75717',
    '. 00002, : 02020, - 00700',
  ]
    .flatMap((line) => line.split(', '))
    .map((glyph) => [glyph.slice(0, 1), glyph.slice(2)]),
)

const WIDTH = 352
const HEIGHT = 252
const DOT = 4
const MARGIN = 16

/** Draws a receipt as a PNG with one bit per pixel. A text chunk of the PNG contains the words. */
export function makeReceipt(): Uint8Array {
  const rowBytes = WIDTH / 8
  // A filter byte precedes each row. A set bit is white.
  const rows = new Uint8Array((rowBytes + 1) * HEIGHT).fill(0xff)
  for (let row = 0; row < HEIGHT; row++) rows[row * (rowBytes + 1)] = 0
  const ink = (x: number, y: number) => {
    const at = y * (rowBytes + 1) + 1 + (x >> 3)
    rows[at] = (rows[at] ?? 0) & ~(0x80 >> (x & 7))
  }
  for (const [lineIndex, line] of LINES.entries())
    for (const [position, character] of [...line].entries())
      drawGlyph(
        GLYPHS.get(character) ?? '00000',
        MARGIN + position * 4 * DOT,
        MARGIN + lineIndex * 6 * DOT,
        ink,
      )

  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  header[8] = 1
  const description = Buffer.from(`Description\0${LINES.join('\n')}`, 'latin1')
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('tEXt', description),
    // Stored without compression, because compressed bytes differ between machines.
    chunk('IDAT', deflateSync(rows, { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function drawGlyph(glyph: string, left: number, top: number, ink: (x: number, y: number) => void): void {
  for (const [row, digit] of [...glyph].entries())
    for (let column = 0; column < 3; column++)
      if (Number(digit) & (4 >> column))
        for (let dot = 0; dot < DOT * DOT; dot++)
          ink(left + column * DOT + (dot % DOT), top + row * DOT + Math.floor(dot / DOT))
}

function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(typed.byteLength + 8)
  framed.writeUInt32BE(data.byteLength, 0)
  typed.copy(framed, 4)
  framed.writeUInt32BE(crc32(typed), typed.byteLength + 4)
  return framed
}
