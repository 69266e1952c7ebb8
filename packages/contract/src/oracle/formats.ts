import { pick, whole, type Random } from './random.ts'

const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => whole(random, 0, 15).toString(16)).join('')
const two = (random: Random, least: number, most: number): string =>
  String(whole(random, least, most)).padStart(2, '0')
const date = (random: Random): string =>
  `${whole(random, 1990, 2035)}-${two(random, 1, 12)}-${two(random, 1, 28)}`
const time = (random: Random): string => `${two(random, 0, 23)}:${two(random, 0, 59)}:${two(random, 0, 59)}`

export function stringOfFormat(format: string, random: Random): string | undefined {
  return makers[format]?.(random)
}

const makers: Record<string, (random: Random) => string> = {
  uuid: (random) =>
    `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-${pick(random, ['8', '9', 'a', 'b'])}${hex(random, 3)}-${hex(random, 12)}`,
  'date-time': (random) =>
    `${date(random)}T${time(random)}${pick(random, ['Z', '.125Z', '+02:00', '-05:30'])}`,
  'iso-8601': (random) =>
    pick(random, [
      `${date(random)}T${time(random)}Z`,
      `${date(random)}T${time(random)}.125678`,
      `${date(random)}T${time(random)},5+02:00`,
      `${date(random)}T${time(random).slice(0, 5)}`,
      `${date(random).replaceAll('-', '')}T${time(random).replaceAll(':', '')}Z`,
      date(random),
    ]),
  date,
  time: (random) => `${time(random)}Z`,
  duration: (random) => `PT${whole(random, 1, 59)}M`,
  uri: (random) => `https://host-${hex(random, 4)}.example/path/${hex(random, 6)}?q=${hex(random, 2)}`,
  url: (random) => `https://host-${hex(random, 4)}.example/${hex(random, 6)}`,
  'uri-template': (random) => `https://host-${hex(random, 4)}.example/path{/name}`,
  'uri-reference': (random) => `/path/${hex(random, 6)}`,
  email: (random) => `user-${hex(random, 4)}@mail.example`,
  hostname: (random) => `host-${hex(random, 4)}.example`,
  ipv4: (random) => `192.0.2.${whole(random, 1, 254)}`,
  ipv6: (random) => `2001:db8::${hex(random, 4)}`,
  'json-pointer': (random) => `/path/${hex(random, 4)}`,
  'json-pointer-uri-fragment': (random) => `#/path/${hex(random, 4)}`,
  'relative-json-pointer': (random) => `1/${hex(random, 4)}`,
  'iso-time': (random) => `${time(random)}Z`,
  'iso-date-time': (random) => `${date(random)}T${time(random)}Z`,
  regex: (random) => `^${hex(random, 4)}$`,
  byte: (random) => Buffer.from(hex(random, 8)).toString('base64'),
}
