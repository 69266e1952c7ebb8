import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser for tests that need one: `CONCORD_CHROMIUM`, or the usual paths on Linux. */
export const executablePath = process.env['CONCORD_CHROMIUM'] || PLACES.find((place) => existsSync(place))

/** A suffix for the names of tests that are skipped without a browser; empty with one. */
export const missingChromium =
  executablePath === undefined
    ? ` [no Chromium at ${PLACES.join(', ')}: install one, or set CONCORD_CHROMIUM to its path]`
    : ''
