"""Follows every link of a site with Scrapy. Used by bench/crawlers."""
import sys
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor


class Site(Spider):
    name = "site"

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]
        self.allowed_domains = [urlsplit(start).hostname]
        # It would compare domains with the port; what is elsewhere is filtered by allowed_domains.
        self.links = LinkExtractor()

    def parse(self, response):
        if isinstance(response, TextResponse):
            for link in self.links.extract_links(response):
                yield response.follow(link, self.parse)


process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS": int(sys.argv[2]),
        "CONCURRENT_REQUESTS_PER_DOMAIN": int(sys.argv[2]),
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "COOKIES_ENABLED": False,
    }
)
process.crawl(Site, start=sys.argv[1])
process.start()
