import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser for tests that need one: `CONCORD_CHROMIUM`, or the usual paths on Linux. */
export const executablePath = process.env['CONCORD_CHROMIUM'] || PLACES.find((place) => existsSync(place))

/** The reason for skipping tests that need a browser, as a suffix of their names. Empty if a browser was found. */
export const missingChromium =
  executablePath === undefined
    ? ` [no Chromium at ${PLACES.join(', ')}: install one, or set CONCORD_CHROMIUM to its path]`
    : ''
