-- Asks for the paths in the file named by PATHS, one after the other. Used by bench/crawlers.
local requests, at = {}, 0

function init()
  for path in io.lines(os.getenv("PATHS")) do
    requests[#requests + 1] = wrk.format("GET", path)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
