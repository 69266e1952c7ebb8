import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser for tests that need one: `CONCORD_CHROMIUM`, or the usual paths on Linux. */
export const executablePath = process.env['CONCORD_CHROMIUM'] || PLACES.find((place) => existsSync(place))

/** A suffix for the names of tests that need a browser: why they are skipped. Empty if a browser was found. */
export const missingChromium =
  executablePath === undefined
    ? ` [no Chromium at ${PLACES.join(', ')}: install one, or set CONCORD_CHROMIUM to its path]`
    : ''
