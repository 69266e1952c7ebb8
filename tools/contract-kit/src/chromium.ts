import { existsSync } from 'node:fs'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The path of the browser that tests use. */
export const executablePath = process.env['CONCORD_CHROMIUM'] || PLACES.find((place) => existsSync(place))

/** A suffix for the name of a test. It says why the test is skipped, and is empty if a browser was found. */
export const missingChromium =
  executablePath === undefined
    ? ` [no Chromium at ${PLACES.join(', ')}: install one, or set CONCORD_CHROMIUM to its path]`
    : ''
