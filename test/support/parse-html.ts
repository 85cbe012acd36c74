import { JSDOM } from 'jsdom'

// One for all documents: a window for each of them takes longer to make than a page to parse.
const parser = new new JSDOM().window.DOMParser()

/** Parses a page as browsers do, without an environment for the test. */
export const parseHtml = (html: string): Document => parser.parseFromString(html, 'text/html')
