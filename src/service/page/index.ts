/**
 * What a verification page of your own needs. Start with {@link Page}.
 *
 * @module authgraph/service/page
 */

export { describeScope, isRiskyScope } from '../host/describe-scope.ts'
export { escapeHtml } from './escape-html.ts'
export type { Page, PageForm, PageRequest, PageState, Refusal } from './page.ts'
export type { PageNotice } from './texts.ts'
