import authgraph = require('authgraph')
import service = require('authgraph/service')

export const both = [authgraph.authorizeDevice, service.createService]
